#include "test/openmp/oracle.h"

#include <algorithm>
#include <map>
#include <utility>

namespace taskrace::openmp_oracle {
namespace {

using Strand = int;
using Strands = std::vector<Strand>;

// Who runs a strand, for the question whose memory is whose.
struct Who {
  int thread;    // of all threads of all teams
  int phase;     // of that thread
  bool is_task;  // an explicit task of the thread
  bool is_unit;
};

struct Access {
  Strand strand;
  Kind kind;
  int block;  // 0: the buffer; else the thread that has allocated it, in one of its regions
  int owner;
  int byte;
  unsigned locks;
};

struct Team {
  int size = 1;
  // A node for each barrier, which comes after whatever the team did before.
  Strands barriers = {};
  // The end of the newest ordered block of each loop.
  std::map<const Node*, Strands> ordered = {};
};

// Ends of tasks that a taskgroup, or a barrier, waits for.
struct Collector {
  Strands ends = {};
};

struct Thread {
  int number = 0;  // in its team
  int id = 0;      // among all
  Team* team = nullptr;
  Thread* outer = nullptr;  // that made the team
  int phase = 0;
  size_t barriers = 0;
  int singles = 0;
  bool is_aware = false;
  // Of the phase: ends of units and explicit tasks.
  Collector phase_ends = {};
  Strands before = {};  // units of an earlier loop of the same shape
  std::map<std::pair<int, int>, Strands> static_units = {};  // by number of iterations and chunk
  bool in_unit = false;
  Strands block = {};  // units of the loop that it is in
  Strand chain = 0;
};

// An implicit or explicit task.
struct Task {
  Thread* thread;
  Task* parent = nullptr;
  Collector* collector =
      nullptr;               // of its descendants: of the innermost taskgroup, or of the phase
  bool is_explicit = false;  // as a strand of its own
  Strands children = {};
  struct Set {
    Depend kind = Depend::kOut;
    Strands members = {}, before = {};
  };
  std::map<int, Set> depends = {};
};

constexpr unsigned kReductionLock = 1u << 16;
constexpr unsigned kFirstMutexLock = 1u << 20;

class Unrolled {
 public:
  explicit Unrolled(const Body& program) {
    Team team;
    Thread thread{.team = &team};
    thread.id = threads_++;
    Task task{.thread = &thread, .collector = &thread.phase_ends};
    now_ = NewStrand({thread.id, 0, false, false});
    Run(program, task, false);
  }

  RacyBytes Racy() {
    Close();
    RacyBytes racy;
    for (size_t i = 0; i < accesses_.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (!Races(accesses_[j], accesses_[i])) continue;
        (accesses_[i].block == 0 ? racy.shared : racy.own).insert(accesses_[i].byte);
      }
    }
    return racy;
  }

 private:
  // ---- the graph

  Strand NewStrand(Who who) {
    after_.emplace_back();
    who_.push_back(who);
    return static_cast<Strand>(after_.size() - 1);
  }
  void Edge(Strand from, Strand to) { after_[static_cast<size_t>(from)].push_back(to); }
  Strand After(Strand from, Who who) {
    const Strand strand = NewStrand(who);
    Edge(from, strand);
    return strand;
  }
  Who WhoIs(Strand strand) const { return who_[static_cast<size_t>(strand)]; }
  // The running strand ends, another one of the same kind follows.
  void GoOn() { now_ = After(now_, WhoIs(now_)); }
  void Join(const Strands& ends) {
    GoOn();
    for (Strand end : ends) Edge(end, now_);
  }

  void Close() {
    reaches_.assign(after_.size(), std::vector<bool>(after_.size()));
    for (size_t u = 0; u < after_.size(); ++u) {
      Strands open = {static_cast<Strand>(u)};
      while (!open.empty()) {
        const Strand v = open.back();
        open.pop_back();
        for (Strand next : after_[static_cast<size_t>(v)]) {
          if (reaches_[u][static_cast<size_t>(next)]) continue;
          reaches_[u][static_cast<size_t>(next)] = true;
          open.push_back(next);
        }
      }
    }
  }
  bool Precedes(Strand u, Strand v) const {
    return u == v || reaches_[static_cast<size_t>(u)][static_cast<size_t>(v)];
  }

  bool Races(const Access& a, const Access& b) const {
    if (a.block != b.block || a.byte != b.byte) return false;
    const auto is_write = [](Kind kind) {
      return kind == Kind::kWrite || kind == Kind::kAtomicWrite;
    };
    const auto is_atomic = [](Kind kind) {
      return kind == Kind::kAtomicRead || kind == Kind::kAtomicWrite;
    };
    if (!is_write(a.kind) && !is_write(b.kind)) return false;
    if (is_atomic(a.kind) && is_atomic(b.kind)) return false;
    if ((a.locks & b.locks) != 0) return false;
    if (Precedes(a.strand, b.strand) || Precedes(b.strand, a.strand)) return false;
    return !IsOwn(a, b);
  }
  // A thread's own block: units and the thread's own code are in order in whatever assignment has them on one thread, and
  // so are units and the tasks that the thread creates later.
  bool IsOwn(const Access& a, const Access& b) const {
    if (a.block == 0) return false;
    const Who first = WhoIs(a.strand), second = WhoIs(b.strand);
    if (first.thread != a.owner || second.thread != a.owner || first.phase != second.phase)
      return false;
    if (first.is_task) return false;
    return !second.is_task || first.is_unit;
  }

  // ---- constructs

  // What one thread does is unrolled from its first statement to its last.
  void Run(const Body& body, Task& task, bool is_serial) {
    for (const Node& node : body) Run(node, task, is_serial);
  }

  // is_serial: in a region of one thread.
  void Run(const Node& node, Task& task, bool is_serial) {
    Thread& thread = *task.thread;
    switch (node.what) {
      case What::kAccess:
        for (int i = 0; i < node.size; ++i) Add(node.kind, node.is_own, node.first + i);
        break;
      case What::kParallel:
        Parallel(node, task);
        break;
      case What::kBarrier:
        if (!is_serial) Barrier(task);
        break;
      case What::kFor:
      case What::kSections:
        Loop(node, task, is_serial);
        break;
      case What::kIteration:
        break;
      case What::kSingle:
        Single(node, task, is_serial);
        break;
      case What::kMaster:
        // In a region of one thread that tells nothing.
        if (is_serial) return Run(node.body, task, true);
        if (thread.number != 0) break;
        BecomeAware(thread);
        Run(node.body, task, false);
        break;
      case What::kCritical: {
        if (!thread.in_unit && !task.is_explicit) BecomeAware(thread);
        const unsigned before = std::exchange(locks_, locks_ | 1u << node.size);
        Run(node.body, task, is_serial);
        locks_ = before;
        break;
      }
      case What::kOrdered:
        Ordered(node, task, is_serial);
        break;
      case What::kTask:
        Create(node, task, is_serial);
        break;
      case What::kTaskwait:
        if (task.children.empty()) break;
        LeaveUnit(thread);
        Join(std::exchange(task.children, {}));
        break;
      case What::kTaskgroup: {
        if (is_serial) return Run(node.body, task, is_serial);
        LeaveUnit(thread);
        Collector group;
        Collector* const outer = std::exchange(task.collector, &group);
        Run(node.body, task, is_serial);
        task.collector = outer;
        LeaveUnit(thread);
        Join(group.ends);
        break;
      }
      case What::kThreadNumber:
        if (!is_serial) BecomeAware(thread);
        break;
    }
  }

  void Add(Kind kind, bool is_own, int byte) {
    accesses_.push_back({now_, kind, is_own ? own_block_ : 0, own_owner_, byte, locks_});
  }

  // Units that a construct meets become a part of what their thread does.
  void LeaveUnit(Thread& thread) {
    if (!thread.in_unit) return;
    thread.in_unit = false;
    thread.block.push_back(now_);
    now_ = thread.chain;
    Join(std::exchange(thread.block, {}));
    Join(std::exchange(thread.before, {}));
  }
  void BecomeAware(Thread& thread) {
    if (thread.team->size == 1) return;
    thread.is_aware = true;
    LeaveUnit(thread);
  }
  static bool IsAware(const Thread& thread) {
    for (const Thread* t = &thread; t != nullptr; t = t->outer) {
      if (t->is_aware) return true;
    }
    return false;
  }

  void Barrier(Task& implicit) {
    Thread& thread = *implicit.thread;
    implicit.children.clear();
    Team& team = *thread.team;
    if (team.barriers.size() == thread.barriers)
      team.barriers.push_back(NewStrand({-1, 0, false, false}));
    const Strand barrier = team.barriers[thread.barriers++];
    Edge(now_, barrier);
    for (Strand end : std::exchange(thread.phase_ends.ends, {})) Edge(end, barrier);
    thread.static_units.clear();
    ++thread.phase;
    now_ = After(barrier, {thread.id, thread.phase, false, false});
  }

  void Parallel(const Node& node, Task& task) {
    const int outer_block = own_block_, outer_owner = own_owner_;
    const unsigned outer_locks = locks_;
    if (node.size == 1) {
      own_block_ = ++blocks_;
      own_owner_ = task.thread->team->size == 1 ? -1 : task.thread->id;
      Task implicit{.thread = task.thread,
                    .parent = &task,
                    .collector = task.collector,
                    .is_explicit = task.is_explicit};
      Run(node.body, implicit, true);
    } else {
      LeaveUnit(*task.thread);
      GoOn();
      const Strand fork = now_;
      Team team{.size = node.size};
      Strand end = -1;
      for (int i = 0; i < node.size; ++i) {
        Thread thread{.number = i, .team = &team, .outer = task.thread};
        thread.id = threads_++;
        Task implicit{.thread = &thread, .collector = &thread.phase_ends};
        now_ = After(fork, {thread.id, 0, false, false});
        own_block_ = ++blocks_;
        own_owner_ = thread.id;
        locks_ = 0;
        Run(node.body, implicit, false);
        Barrier(implicit);
        end = team.barriers.back();
      }
      now_ = After(end, WhoIs(fork));
    }
    own_block_ = outer_block;
    own_owner_ = outer_owner;
    locks_ = outer_locks;
  }

  // Which iterations the thread runs, as units.
  static std::vector<std::vector<size_t>> UnitsOf(const Node& loop, const Thread& thread) {
    std::vector<std::vector<size_t>> units;
    const size_t trips = loop.body.size(), count = static_cast<size_t>(thread.team->size);
    const bool is_loop = loop.what == What::kFor;
    const bool has_chunks = is_loop && (loop.schedule == Schedule::kStaticChunked ||
                                        loop.schedule == Schedule::kDynamic);
    const size_t chunk = has_chunks ? static_cast<size_t>(loop.chunk) : 1;
    const size_t chunks = (trips + chunk - 1) / chunk;
    const bool in_runs = !is_loop || loop.schedule == Schedule::kStatic || loop.is_ordered;
    const size_t number = static_cast<size_t>(thread.number);
    for (size_t q = 0; q < chunks; ++q) {
      size_t runs_it = q % count;
      if (in_runs) {
        const size_t small = chunks / count, longer = chunks % count;
        runs_it = q < longer * (small + 1) ? q / (small + 1)
                                           : longer + (q - longer * (small + 1)) / small;
      }
      if (runs_it != number) continue;
      units.emplace_back();
      for (size_t k = q * chunk; k < std::min(trips, (q + 1) * chunk); ++k)
        units.back().push_back(k);
    }
    return units;
  }

  void Loop(const Node& loop, Task& task, bool is_serial) {
    Thread& thread = *task.thread;
    if (is_serial) {
      for (const Node& iteration : loop.body) Run(iteration.body, task, true);
      if (loop.reduction >= 0) Reduce(loop);
      return;
    }
    const bool is_static =
        loop.what == What::kFor && !loop.is_ordered &&
        (loop.schedule == Schedule::kStatic || loop.schedule == Schedule::kStaticChunked);
    const std::pair shape(static_cast<int>(loop.body.size()),
                          loop.schedule == Schedule::kStatic ? 0 : loop.chunk);
    // Each unit of an earlier loop of the same shape is on the same thread as its like.
    if (is_static) thread.before = std::exchange(thread.static_units[shape], {});
    if (IsAware(thread)) Join(std::exchange(thread.before, {}));
    Strands* const earlier_ordered = std::exchange(ordered_, &thread.team->ordered[&loop]);
    GoOn();
    thread.chain = now_;
    bool by_units = !IsAware(thread);
    size_t number = 0;
    for (const std::vector<size_t>& unit : UnitsOf(loop, thread)) {
      if (by_units) {
        thread.in_unit = true;
        now_ = After(thread.chain, {thread.id, thread.phase, false, true});
        if (number < thread.before.size()) Join({thread.before[number]});
        ++number;
      }
      for (size_t k : unit) Run(loop.body[k].body, task, false);
      if (!by_units) continue;
      if (thread.in_unit) {
        thread.block.push_back(now_);
      } else {
        by_units = false;  // it met a construct: the rest is the thread's
      }
    }
    thread.before.clear();
    if (by_units) {
      thread.in_unit = false;
      const Strands ends = std::exchange(thread.block, {});
      thread.phase_ends.ends.insert(thread.phase_ends.ends.end(), ends.begin(), ends.end());
      if (is_static) thread.static_units[shape] = ends;
      now_ = After(thread.chain, WhoIs(thread.chain));
    }
    ordered_ = earlier_ordered;
    if (loop.reduction >= 0) Reduce(loop);
    if (!loop.nowait) Barrier(task);
  }

  void Reduce(const Node& loop) {
    const unsigned before = std::exchange(locks_, locks_ | kReductionLock);
    Add(Kind::kRead, false, loop.reduction);
    Add(Kind::kWrite, false, loop.reduction);
    locks_ = before;
  }

  // Threads have runs of iterations, and are unrolled one after the other: so are their ordered blocks.
  void Ordered(const Node& node, Task& task, bool is_serial) {
    if (is_serial || ordered_ == nullptr) return Run(node.body, task, is_serial);
    Join(*ordered_);
    Run(node.body, task, is_serial);
    *ordered_ = {now_};
    GoOn();
  }

  void Single(const Node& node, Task& task, bool is_serial) {
    Thread& thread = *task.thread;
    if (is_serial) return Run(node.body, task, true);
    const int size = thread.team->size;
    if (thread.number == size - 1 - thread.singles++ % size) {
      if (IsAware(thread)) {
        Run(node.body, task, false);
      } else {
        GoOn();
        thread.chain = now_;
        thread.in_unit = true;
        now_ = After(thread.chain, {thread.id, thread.phase, false, true});
        Run(node.body, task, false);
        if (thread.in_unit) {
          thread.in_unit = false;
          thread.phase_ends.ends.push_back(now_);
          now_ = After(thread.chain, WhoIs(thread.chain));
        }
      }
    }
    if (!node.nowait) Barrier(task);
  }

  void Create(const Node& node, Task& creator, bool is_serial) {
    Thread& thread = *creator.thread;
    Task task{.thread = &thread, .parent = &creator, .collector = creator.collector};
    if (is_serial || node.undeferred) {
      task.is_explicit = creator.is_explicit;
      return Run(node.body, task, is_serial);
    }
    LeaveUnit(thread);
    GoOn();
    const Strand before = now_;
    const unsigned outer_locks = std::exchange(locks_, 0);
    task.is_explicit = true;
    now_ = After(before, {thread.id, thread.phase, true, false});
    const Strand first = now_;
    for (const Dependence& dependence : node.depends) {
      Task::Set& set = creator.depends[dependence.address];
      const bool joins = dependence.kind != Depend::kOut && dependence.kind == set.kind;
      if (!joins) {
        set.before = std::exchange(set.members, {});
        set.kind = dependence.kind;
      }
      for (Strand end : set.before) Edge(end, first);
      if (dependence.kind == Depend::kMutexInOutSet) {
        locks_ |= kFirstMutexLock << dependence.address;
      }
    }
    Run(node.body, task, false);
    for (const Dependence& dependence : node.depends) {
      creator.depends[dependence.address].members.push_back(now_);
    }
    creator.children.push_back(now_);
    creator.collector->ends.push_back(now_);
    locks_ = outer_locks;
    now_ = After(before, WhoIs(before));
  }

  std::vector<Strands> after_;
  std::vector<Who> who_;
  std::vector<std::vector<bool>> reaches_;
  std::vector<Access> accesses_;
  Strands* ordered_ = nullptr;  // of the loop that runs
  Strand now_ = 0;
  unsigned locks_ = 0;
  int threads_ = 0;
  int blocks_ = 0;
  int own_block_ = 0;
  int own_owner_ = -1;
};

}  // namespace

RacyBytes FindRacyBytes(const Body& program) { return Unrolled(program).Racy(); }

}  // namespace taskrace::openmp_oracle

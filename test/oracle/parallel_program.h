// A program for parallel detection: what the oracle says of it, and a host that compares each race
// with that. An access names itself by its Where, so both sides of a race can be looked up.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "detect/parallel/worker.h"
#include "test/oracle/execution.h"
#include "test/oracle/moved_loop.h"

namespace taskrace::oracle {

// Which strand does each access, and which strands a task has, in serial execution.
class Numbering final : public Listener {
 public:
  struct Known {
    size_t strand;
    const Construct* access;
    size_t task;  // that did it
  };

  explicit Numbering(const Body& program) { NumberTasks(program); }

  // The name of an access, a construct of the program.
  Where WhereOf(const Construct& access) const { return Where{number_of_.at(&access)}; }
  const Known& operator[](Where where) const { return known_[static_cast<uint32_t>(where) - 1]; }
  // The task that a construct creates; null: the root.
  size_t TaskOf(const Construct* creator) const { return task_of_.at(creator); }
  // The strands of the task, in order.
  const std::vector<size_t>& StrandsOf(size_t task) const { return strands_of_.at(task); }
  // Which iteration of its loop the task is; -1: none.
  ptrdiff_t IterationOf(size_t task) const {
    const auto found = iteration_of_.find(task);
    return found == iteration_of_.end() ? -1 : static_cast<ptrdiff_t>(found->second);
  }

  void OnStrand(const Dag&, const Oracle&, size_t strand, TaskId task) override {
    strands_of_[Index(task)].push_back(strand);
    task_ = Index(task);
  }
  void OnIteration(TaskId, TaskId child, GroupId, size_t k, StrandId) override {
    iteration_of_[Index(child)] = k;
  }
  void OnAccess(const Oracle&, size_t strand, const Construct& access,
                const std::set<unsigned>&) override {
    known_.push_back({strand, &access, task_});
    number_of_[&access] = static_cast<uint32_t>(known_.size());
  }
  void OnRetire(const Oracle& oracle, size_t strand, const Construct& retire,
                const std::set<unsigned>& races) override {
    OnAccess(oracle, strand, retire, races);
  }
  void OnStart(TaskId, GroupId, StrandId) override {}
  void OnCreate(TaskId, TaskId, How, GroupId, StrandId) override {}
  void OnEnd(TaskId) override {}
  void OnProceed(TaskId, StrandId) override {}
  void OnOpen(TaskId, GroupId, StrandId) override {}
  void OnJoin(TaskId, GroupId, How, std::span<const TaskId>, StrandId) override {}
  void OnGet(TaskId, TaskId, How, StrandId) override {}
  void OnBlock(TaskId) override {}
  void OnSet(TaskId, PromiseId) override {}
  void OnGetPromise(TaskId, PromiseId, StrandId) override {}
  void OnClear(const Construct&) override {}

 private:
  // Depth-first execution creates tasks in the order of the text.
  void NumberTasks(const Body& body) {
    for (const Construct& c : body) {
      if (c.what == What::kSpawn || c.what == What::kAsync || c.what == What::kIteration) {
        const size_t number = task_of_.size();
        task_of_[&c] = number;
      }
      NumberTasks(c.body);
    }
  }

  std::vector<Known> known_;
  std::map<const Construct*, uint32_t> number_of_;
  std::map<const Construct*, size_t> task_of_{{nullptr, 0}};
  std::map<size_t, std::vector<size_t>> strands_of_;
  std::map<size_t, size_t> iteration_of_;
  size_t task_ = 0;  // that runs
};

// What was moved out of a loop.
struct MovedOutOfLoop {
  std::vector<MovedRows> rows = {};
  bool has_marks = true;

  bool Has(size_t position) const {
    return std::ranges::any_of(rows, [&](const MovedRows& moved) { return moved.Has(position); });
  }
};

// What is true of a program, and what was reported of it.
class ParallelProgram {
 public:
  // A byte of the program is `scale` bytes of memory from `base` on, so that ranges are long, too. If its
  // strands are to have many accesses, they have others beside, which race with nothing.
  ParallelProgram(const Body& body, uintptr_t base, size_t scale, bool has_many,
                  Moves moves = Moves::kNone)
      : body(body),
        numbering(body),
        execution(body, {&numbering}),
        base_(base),
        scale_(scale),
        has_many_(has_many) {
    if (moves != Moves::kNone) MoveOutOf(body, moves);
  }

  const MovedOutOfLoop& MovedOutOf(const Construct& loop) const {
    static const MovedOutOfLoop nothing;
    const auto found = moved_.find(&loop);
    return found == moved_.end() ? nothing : found->second;
  }
  // A part of the loop begins, with what was moved out of the iterations [begin, end).
  void Move(ParallelWorker& worker, const Construct& loop, size_t begin, size_t end) const {
    const ptrdiff_t scale = static_cast<ptrdiff_t>(scale_);
    for (const MovedRows& moved : MovedOutOf(loop).rows) {
      const AffineAccess& access = moved.access;
      const ptrdiff_t step = access.step * scale;
      worker.Move({.kind = access.kind,
                   .code = Where{kFirstMoved + static_cast<uint32_t>(code_of_.at(&moved))},
                   .first = base_ + access.first * scale_ + begin * static_cast<uintptr_t>(step),
                   .size = access.size * scale_,
                   .rows = moved.rows,
                   .distance = moved.distance * scale,
                   .step = step,
                   .k = begin,
                   .count = end - begin});
    }
  }

  // The detector is told of an access.
  void Tell(ParallelWorker& worker, const Construct& access) const {
    const Where where = numbering.WhereOf(access);
    if (static_cast<uint32_t>(where) % 64 == 0) worker.CollectSoon();
    worker.SetLocks(LockSet{access.locks});
    while (has_many_ && worker.HasFew() && !worker.IsAlone()) {
      worker.Access(AccessKind::kRead, base_ + kApart, 8, where);
    }
    worker.Access(access.kind, base_ + access.first * scale_, access.size * scale_, where);
  }

  // Notes a race; says what is wrong with it, or nothing.
  std::string Note(const ParallelRace& race, const TaskTree& tree) {
    const uintptr_t end = race.first + race.size;
    for (uintptr_t at = race.first; at < end;) {
      const unsigned byte = static_cast<unsigned>((at - base_) / scale_);
      const std::vector<Numbering::Known> some = Deeds(race.earlier, byte, tree);
      const std::vector<Numbering::Known> others = Deeds(race.later, byte, tree);
      if (some.empty() || others.empty()) return "a byte of only one, or of other iterations";
      const bool race_at_all = std::ranges::any_of(some, [&](const Numbering::Known& a) {
        return std::ranges::any_of(others, [&](const Numbering::Known& b) { return Race(a, b); });
      });
      if (!race_at_all) return "the two do not race";
      const uintptr_t next = std::min(end, base_ + (byte + 1) * scale_);
      for (; at < next; ++at) reported_[at - base_] = true;
    }
    return "";
  }
  // What is wrong with all that was reported; nothing if it is exactly what there is.
  std::string Compare() const {
    const std::set<unsigned>& racy = execution.GetOracle().EverRacy();
    for (const unsigned byte : racy) {
      for (uintptr_t at = base_ + byte * scale_; at < base_ + (byte + 1) * scale_; ++at) {
        if (!reported_[at - base_]) return "a racy byte is missed: " + std::to_string(byte);
      }
    }
    const auto reported = std::ranges::count(reported_, true);
    return static_cast<size_t>(reported) == racy.size() * scale_ ? ""
                                                                 : "a byte is reported in vain";
  }

  const Body& body;
  Numbering numbering;
  Execution execution;

 private:
  static constexpr uintptr_t kApart = uintptr_t{10} << 10;  // from what any program touches

  static constexpr uint32_t kFirstMoved = 1'000'000;  // no other access has so large a number

  static bool Touches(const Construct& access, unsigned byte) {
    return byte >= access.first && byte < access.first + access.size;
  }

  void MoveOutOf(const Body& inside, Moves moves) {
    for (const Construct& c : inside) {
      MoveOutOf(c.body, moves);
      if (c.what != What::kLoop) continue;
      MovedOutOfLoop& moved = moved_[&c];
      moved.rows = RowsOf(c, c.body.size() % 2 == 0);
      moved.has_marks = moved.rows.empty() || moves == Moves::kSome;
      if (moved.has_marks && moved.rows.size() > 1) moved.rows.pop_back();
      for (const MovedRows& rows : moved.rows) {
        code_of_[&rows] = moved_codes_.size();
        moved_codes_.push_back({&c, &rows});
      }
    }
  }
  // The accesses that one side of a race may mean: one, but for what was told for many iterations at once.
  std::vector<Numbering::Known> Deeds(const ParallelSide& side, unsigned byte,
                                      const TaskTree& tree) const {
    const bool is_iteration = tree.IsLoop(side.record.step.node);
    const uint32_t number = Index(side.record.step.strand);
    std::vector<Numbering::Known> deeds;
    const auto add = [&](const Numbering::Known& known, size_t k) {
      if (!Touches(*known.access, byte)) return;
      if (is_iteration && number < ParallelLoop::kFirstPart && number != k) return;
      deeds.push_back(known);
    };
    if (static_cast<uint32_t>(side.where) < kFirstMoved) {
      const Numbering::Known& known = numbering[side.where];
      const ptrdiff_t k = numbering.IterationOf(known.task);
      if (is_iteration && k < 0) return {};
      add(known, static_cast<size_t>(k));
      return deeds;
    }
    const auto& [loop, moved] = moved_codes_[static_cast<uint32_t>(side.where) - kFirstMoved];
    for (size_t k = 0; k < loop->body.size(); ++k) {
      for (size_t i = 0; i < moved->rows; ++i) {
        const Construct& access = loop->body[k].body[moved->position + i];
        add(numbering[numbering.WhereOf(access)], k);
      }
    }
    return deeds;
  }
  bool Race(Numbering::Known a, Numbering::Known b) const {
    if (a.strand > b.strand) std::swap(a, b);
    return execution.GetOracle().Races(PastAccess{a.strand, *a.access},
                                       PastAccess{b.strand, *b.access});
  }

  const uintptr_t base_;
  const size_t scale_;
  const bool has_many_;
  std::vector<bool> reported_ = std::vector<bool>(kBytes * scale_);  // from base_ on
  std::map<const Construct*, MovedOutOfLoop> moved_;
  std::map<const MovedRows*, size_t> code_of_;
  std::vector<std::pair<const Construct*, const MovedRows*>> moved_codes_;
};

// How much memory a byte of the n-th program is: a byte, a part of a line of cells, a line, more; now and
// then a block of a page.
inline size_t ScaleOf(size_t n) {
  constexpr size_t kScales[] = {1, 1, 1, 4, 8, 24, 32, 64, 100};
  constexpr size_t kRounds = 5;  // atomics and locks make a list of every byte: seldom
  n %= kRounds * std::size(kScales) + 1;
  return n == 0 ? ShadowDirectory::kBlockBytes : kScales[n % std::size(kScales)];
}
// Whether the strands of the n-th program have many accesses.
inline bool HasMany(size_t n) { return n % 4 == 0; }
// Programs apart from each other: cells that were split stay split.
inline uintptr_t MemoryOf(size_t n, uintptr_t like) {
  return like + n * 4 * ShadowDirectory::kPageBytes;
}

// Where the reports of a program go. Lock sets are sets of bits.
class ParallelReferee : public ParallelHost {
 public:
  void Begin(ParallelProgram& program, const TaskTree& tree) {
    program_ = &program;
    tree_ = &tree;
    wrong_.clear();
  }
  const std::string& Wrong() const { return wrong_; }

  void OnRace(const ParallelRace& race) override {
    const std::lock_guard lock(mutex_);
    const std::string wrong = program_->Note(race, *tree_);
    if (wrong_.empty()) wrong_ = wrong;
  }
  AccessLog::Found PartWith(uintptr_t, const AccessLog::Found& found) override { return found; }
  bool HasParts(Where) override { return false; }
  bool MayRace(LockSet a, LockSet b) override {
    return (static_cast<uint32_t>(a) & static_cast<uint32_t>(b)) == 0;
  }
  void Release(const Quarantine::Block&) override {}

 private:
  std::mutex mutex_;
  ParallelProgram* program_ = nullptr;
  const TaskTree* tree_ = nullptr;
  std::string wrong_;
};

}  // namespace taskrace::oracle

// WholeDetector: a Detector as the runtime has it, on one program, compared with the oracle. Beyond
// the engine and the history (subject.h) it has accesses that wait for the end of their strand,
// memory that is used again meanwhile, locks that come and go, and both places of every race.
//
// Parallel loops come to the detector as the serial executor runs them: an iteration is a strand, and becomes
// a task at its first construct. Accesses of affine loops may come before the loop, as if the pass had
// moved them.
#pragma once

#include <bit>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "detect/detector.h"
#include "test/oracle/execution.h"
#include "test/oracle/loop_here.h"

namespace taskrace::oracle {

template <Reachability Engine, AccessHistory History, size_t kMostFew>
class WholeDetector final : public Listener, RaceSink {
 public:
  // Access number i is by code i modulo `codes`, from 1, if it is not moved.
  WholeDetector(uintptr_t base, size_t codes, Moves moves = Moves::kNone)
      : base_(base), codes_(codes), moves_(moves) {
    __taskrace_top = &frame_;
    Contexts::InitBase(&frame_);
    running_.sink = this;
    for (uint32_t bits = 1; bits < lock_sets_.size(); ++bits) {
      for (uintptr_t lock = 0; lock < 2; ++lock) {
        if ((bits >> lock & 1) == 0) continue;
        lock_sets_[bits] = running_.lock_sets.With(lock_sets_[bits], 8 + lock, false);
      }
    }
  }

  // Tables forget what nobody needs at every construct.
  void CollectAlways() { running_.small_tables = 0; }
  // What went wrong first; empty if nothing did.
  const std::string& Wrong() const { return wrong_; }
  bool LeftClass() const { return left_class_; }
  // The program is over, or deadlocked.
  void Finish() {
    if (Stopped()) return;
    detector_.Flush();
    Settle();
  }

  void OnStart(TaskId task, GroupId finish, StrandId strand) override {
    next_strand_ = IsIteration(strand) ? Index(strand) >> 1 : Index(strand);
    const StrandId first = NextStrand();
    detector_.OnStart(NewTask(task), finish, first);
    SetStrand(first);
  }
  void OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId) override {
    Event(task, [&](TaskId mine, StrandId strand) {
      return detector_.OnCreate(mine, NewTask(child), how, group, strand);
    });
  }
  void OnEnd(TaskId task) override {
    if (Stopped()) return;
    const auto iteration = iterations_.find(task);
    if (iteration == iterations_.end() || iteration->second.is_task) {
      Tell([&] { return detector_.OnEnd(task_of_[task]); });
    }
    if (iteration != iterations_.end()) EndIteration(iteration->second);
  }
  void OnProceed(TaskId task, StrandId) override {
    if (const auto last = last_iteration_.find(task); last != last_iteration_.end()) {
      const IterationOfLoop& iteration = iterations_[last->second];
      // Between two iterations nothing of their creator runs.
      if (!iteration.is_task && !(detector_.Switches() && iteration.IsLast())) return;
    }
    Event(task,
          [&](TaskId mine, StrandId strand) { return detector_.OnProceed(mine, strand), nullptr; });
  }
  void OnOpen(TaskId task, GroupId finish, StrandId) override {
    Event(task,
          [&](TaskId mine, StrandId strand) { return detector_.OnOpen(mine, finish, strand); });
  }
  void OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
              StrandId) override {
    std::vector<TaskId> mine_of_singles;
    for (const TaskId single : singles) mine_of_singles.push_back(task_of_[single]);
    if (const auto loop = loops_.find(group); loop != loops_.end()) {
      last_iteration_.erase(task);
      running_.loops.End(loop->second.number);
    }
    Event(task, [&](TaskId mine, StrandId strand) {
      return detector_.OnJoin(mine, group, how, mine_of_singles, strand);
    });
  }
  void OnGet(TaskId task, TaskId child, How how, StrandId) override {
    Event(task, [&](TaskId mine, StrandId strand) {
      return detector_.OnGet(mine, task_of_[child], how, strand);
    });
  }
  void OnBlock(TaskId task) override {
    if (Stopped()) return;
    BecomeTask(task);
    Tell([&] { return detector_.OnBlock(task_of_[task]); });
    if (const auto found = iterations_.find(task); found != iterations_.end()) {
      // The iterations after it are another part's.
      IterationOfLoop& iteration = found->second;
      if (!iteration.lost_rest) iteration.loop->has_part = false;
      iteration.lost_rest = true;
    }
  }
  void OnSet(TaskId task, PromiseId promise) override {
    if (Stopped()) return;
    BecomeTask(task);
    Tell([&] { return detector_.OnSet(task_of_[task], promise); });
  }
  void OnGetPromise(TaskId task, PromiseId promise, StrandId) override {
    Event(task, [&](TaskId mine, StrandId strand) {
      return detector_.OnGetPromise(mine, promise, strand);
    });
  }
  void OnOver(PromiseId promise) override {
    if (!Stopped()) detector_.OnOver(promise);
  }
  void OnScope(TaskId task) override {
    if (!Stopped()) BecomeTask(task);
  }

  void OnLoop(TaskId task, GroupId group, const Construct& loop) override {
    if (Stopped() || loop.body.empty()) return;
    BecomeTask(task);
    detector_.OnLoop();
    const TaskId creator = task_of_[task], all = AddTask();
    const StrandId strand = NextStrand();
    const int64_t index = 10 * int64_t{Index(group)};
    LoopHere& here = loops_[group];
    here = {.group = group,
            .creator = task,
            .all = all,
            .strand = strand,
            .number = running_.loops.Add({strand, all, index, loop.body.size()}),
            .index = index,
            .count = loop.body.size()};
    if (moves_ != Moves::kNone) here.moved = RowsOf(loop, here.number % 2 == 0);
    here.has_marks = here.moved.empty() || moves_ == Moves::kSome;
    if (moves_ != Moves::kAll && here.moved.size() > 1) {
      here.staying = {here.moved.back()};
      here.moved.pop_back();
    }
    Tell([&] { return detector_.OnCreate(creator, all, How::kSpawn, group, strand); });
    Tell([&] { return detector_.OnEnd(all); });
    Event(task,
          [&](TaskId mine, StrandId next) { return detector_.OnProceed(mine, next), nullptr; });
  }
  void OnIteration(TaskId task, TaskId child, GroupId group, size_t k, StrandId) override {
    if (Stopped()) return;
    LoopHere& loop = loops_[group];
    if (!loop.has_part) BeginPart(loop, k);
    last_iteration_[task] = child;
    IterationOfLoop& iteration = iterations_[child] = {.loop = &loop, .k = k};
    running_.part = &loop.part;
    if (!loop.has_marks) return;
    Mark(k);
    iteration.strand = running_.strand;
  }

  void OnStrand(const Dag&, const Oracle& oracle, size_t, TaskId task) override {
    oracle_ = &oracle;
    oracle_task_ = task;
    position_ = 0;
  }
  void OnAccess(const Oracle&, size_t, const Construct& access,
                const std::set<unsigned>& races) override {
    if (Stopped()) return;
    const Deed& deed = NoteDeed();
    Expect(races);
    if (deed.moved != nullptr) return;
    Lock(access.locks);
    const uintptr_t first = base_ + access.first;
    const AccessHooks& hooks = detector_.Hooks();
    if (const auto found = iterations_.find(oracle_task_);
        found != iterations_.end() && !found->second.loop->has_marks) {
      const __taskrace_zone& zone = found->second.loop->zone;
      if (first >= zone.end || first + access.size <= zone.first) return;
      Mark(found->second.k);
    }
    const bool is_write = IsWrite(access.kind);
    if (deed.call != nullptr) {
      const int index = std::countr_zero(access.size);
      deed.call(is_write ? hooks.write[index] : hooks.read[index], first);
    } else if (deed.parts != nullptr) {
      (is_write ? hooks.write_parts : hooks.read_parts)(reinterpret_cast<const void*>(first),
                                                        access.size, 1, 0, deed.parts);
    } else {
      detector_.Access(access.kind, first, access.size, deed.code, Operation::kPlain);
    }
  }
  void OnClear(const Construct& clear) override {
    if (Stopped()) return;
    reuses_ = true;
    detector_.Clear(base_ + clear.first, clear.size);
    Forget(clear);
  }
  void OnRetire(const Oracle&, size_t, const Construct& retire,
                const std::set<unsigned>& races) override {
    if (Stopped()) return;
    const Deed& deed = NoteDeed();
    Lock(retire.locks);
    Expect(races);
    reuses_ = true;
    detector_.Retire(base_ + retire.first, retire.size, deed.code, Operation::kScopeEnd);
    Forget(retire);
  }

 private:
  struct ReportedRace {
    Race race;
    RaceSide earlier;
    RaceSide later;
  };

  bool Stopped() const { return left_class_ || !wrong_.empty(); }
  void Fail(const char* what, size_t a, size_t b = 0) {
    if (wrong_.empty()) wrong_ = what + (" " + std::to_string(a)) + " " + std::to_string(b);
  }

  StrandId NextStrand() { return StrandId{next_strand_++}; }
  void SetStrand(StrandId strand) { running_.strand = running_.engine_strand = strand; }
  TaskId AddTask() { return running_.tasks.Add(kRootTask, kNowhere); }
  TaskId NewTask(TaskId task) { return task_of_[task] = AddTask(); }

  // The detector hears of a construct.
  template <class Event>
  void Tell(Event event) {
    if (Stopped()) return;
    left_class_ = event() != nullptr;
    Settle();
  }
  // The same for one after which another strand runs.
  template <class Happen>
  void Event(TaskId task, Happen happen) {
    if (Stopped()) return;
    BecomeTask(task);
    const StrandId next = NextStrand();
    Tell([&] { return happen(task_of_[task], next); });
    SetStrand(next);
  }
  void BecomeTask(TaskId task) {
    const auto found = iterations_.find(task);
    if (found == iterations_.end() || found->second.is_task) return;
    IterationOfLoop& iteration = found->second;
    const LoopHere& loop = *iteration.loop;
    const TaskId mine = NewTask(task);
    const StrandId first = NextStrand();
    Tell([&] {
      return detector_.OnCreate(task_of_[loop.creator], mine, How::kSpawn, loop.group, first);
    });
    running_.loops.BecomesTask(iteration.strand, first, mine);
    iteration.is_task = true;
    running_.part = nullptr;
    SetStrand(first);
  }
  void Mark(size_t k) {
    if (!detector_.Hooks().iteration(k, /*stack_pointer=*/0) && running_.part->k != k) {
      detector_.OnIteration(k);
    }
  }
  void BeginPart(LoopHere& loop, size_t k) {
    loop.has_part = true;
    loop.part = {.loop = nullptr, .number = loop.number, .begin = k};
    running_.part = &loop.part;
    in_moved_loop_ = !loop.moved.empty();
    running_.locks = kNoLocks;
    detector_.OnPart(task_of_[loop.creator], loop.group);
    for (size_t i = 0; i < loop.moved.size(); ++i) {
      // At once, or in two pieces, the later iterations first or last.
      const size_t middle = loop.number % 3 == 0 ? loop.count : k + (loop.count - k) / 2;
      const bool is_in_order = i % 2 == 0;
      Move(loop.moved[i], is_in_order ? k : middle, is_in_order ? middle : loop.count);
      Move(loop.moved[i], is_in_order ? middle : k, is_in_order ? loop.count : middle);
    }
    for (const MovedRows& staying : loop.staying) loop.zone = ZoneOf(loop, staying, k);
  }
  // The access that stays is described, as one that an iteration may make or not, or it is of unknown address.
  __taskrace_zone ZoneOf(const LoopHere& loop, const MovedRows& staying, size_t k) {
    const AccessHooks& hooks = detector_.Hooks();
    const bool is_write = IsWrite(staying.access.kind);
    if (Index(loop.group) % 2 == 0) {
      return hooks.loop_zone(is_write ? TASKRACE_WRITES_STAY : TASKRACE_READS_STAY);
    }
    const uintptr_t first = base_ + staying.access.first +
                            static_cast<uintptr_t>(static_cast<ptrdiff_t>(k) * staying.access.step);
    (is_write ? hooks.loop_may_write : hooks.loop_may_read)(
        reinterpret_cast<const void*>(first), staying.access.size, staying.rows, staying.distance,
        staying.access.step, k, loop.count - k);
    return hooks.loop_zone(TASKRACE_ZONE_OF_POSSIBLE);
  }
  // The accesses of the iterations [k, end) have been moved.
  void Move(const MovedRows& moved, size_t k, size_t end) {
    if (k == end) return;
    const AccessHooks& hooks = detector_.Hooks();
    const auto hook = IsWrite(moved.access.kind) ? hooks.loop_write : hooks.loop_read;
    const uintptr_t first = base_ + moved.access.first +
                            static_cast<uintptr_t>(static_cast<ptrdiff_t>(k) * moved.access.step);
    hook(reinterpret_cast<const void*>(first), moved.access.size, moved.rows, moved.distance,
         moved.parts, moved.access.step, k, end - k);
  }
  void EndIteration(IterationOfLoop& iteration) {
    if (running_.locks != kNoLocks) {
      detector_.Flush();
      running_.locks = kNoLocks;
    }
    LoopHere& loop = *iteration.loop;
    if (!iteration.lost_rest && !iteration.IsLast()) return;
    running_.part = &loop.part;
    detector_.OnPartEnd(loop.group);
    in_moved_loop_ = false;
    for (const ReportedRace& race : put_off_) Check(race);
    put_off_.clear();
  }
  // As the runtime does when a lock is taken or given back.
  void Lock(uint32_t bits) {
    if (running_.locks == lock_sets_[bits]) return;
    detector_.Flush();
    running_.locks = lock_sets_[bits];
  }

  void Expect(const std::set<unsigned>& races) {
    for (unsigned byte : races) {
      if (racy_.insert(byte).second) expected_.insert(byte);
    }
  }
  // Everything that was put off has been done.
  void Settle() {
    for (unsigned byte : expected_) {
      if (!reported_.contains(byte)) Fail("a race is missed", byte);
    }
    expected_.clear();
    reported_.clear();
  }
  // The same for bytes that are used again.
  void Forget(const Construct& bytes) {
    reuses_ = false;
    for (unsigned byte = bytes.first; byte < bytes.first + bytes.size; ++byte) {
      if (expected_.contains(byte) && !reported_.contains(byte)) Fail("a race is missed", byte);
      expected_.erase(byte);
      reported_.erase(byte);
      racy_.erase(byte);
    }
  }

  // Access number `position_` of the running strand is the newest of the oracle's.
  const Deed& NoteDeed() {
    deeds_.resize(oracle_->Past().size());
    Deed& deed = deeds_.back();
    const size_t number = deeds_.size() - 1;
    deed = {running_.strand, oracle_task_, number % codes_ + 1};
    const Construct& access = oracle_->Past()[number].access;
    if (const auto found = iterations_.find(oracle_task_); found != iterations_.end()) {
      for (const MovedRows& moved : found->second.loop->moved) {
        if (moved.Has(position_)) deed.moved = &moved, deed.parts = moved.parts;
      }
      // In iterations accesses come in each of the ways in which compiled code has them.
      if (deed.moved == nullptr && access.what == What::kAccess && !IsAtomic(access.kind)) {
        // Several in a row go the short way, on which they wait for each other.
        if (number % 5 == 0 || number % 5 == 2) deed.call = kHookCalls[number % kMostMoved];
        if (number % 5 == 1 || number % 5 == 3) deed.parts = kPartsOfRows[number % kMostMoved];
      }
      if (!found->second.loop->has_marks) deed.strand = kNoStrand;
    }
    ++position_;
    return deed;
  }

  void OnRace(const Race& race, const RaceSide& earlier, const RaceSide& later) override {
    for (uintptr_t address = race.first; address < race.first + race.size; ++address) {
      reported_.insert(static_cast<unsigned>(address - base_));
    }
    // What was moved is reported before the oracle hears of it.
    if (in_moved_loop_) return put_off_.push_back({race, earlier, later});
    Check({race, earlier, later});
  }
  // For each byte there must be two accesses by these codes that happened, touch it, and race.
  void Check(const ReportedRace& reported) {
    const Race& race = reported.race;
    for (uintptr_t address = race.first; address < race.first + race.size; ++address) {
      const unsigned byte = static_cast<unsigned>(address - base_);
      if (!Happened(reported, byte)) {
        return Fail("a false race, or one at a wrong place", byte, Index(race.earlier.strand));
      }
    }
  }
  bool Happened(const ReportedRace& reported, unsigned byte) {
    const std::vector<PastAccess>& past = oracle_->Past();
    const auto is = [&](size_t i, const RacingAccess& said, const RaceSide& side) {
      return past[i].access.kind == said.kind && lock_sets_[past[i].access.locks] == said.locks &&
             Touches(past[i], byte) && (reuses_ || !oracle_->IsForgotten(i, byte)) &&
             IsBy(i, said.strand, side) &&
             running_.contexts[side.where].pc ==
                 deeds_[i].CodeOf(base_ + past[i].access.first, base_ + byte);
    };
    for (size_t later = 0; later < past.size(); ++later) {
      if (!is(later, reported.race.later, reported.later)) continue;
      for (size_t earlier = 0; earlier < past.size(); ++earlier) {
        if (earlier == later || !is(earlier, reported.race.earlier, reported.earlier)) continue;
        const bool is_in_order = earlier < later;
        if (!is_in_order && deeds_[earlier].moved == nullptr) continue;
        if (oracle_->Races(past[is_in_order ? earlier : later],
                           past[is_in_order ? later : earlier])) {
          return true;
        }
      }
    }
    return false;
  }
  // Was the access done by the strand, and is all that the race says of its task right?
  bool IsBy(size_t i, StrandId strand, const RaceSide& side) {
    const Deed& deed = deeds_[i];
    const auto found = iterations_.find(deed.task);
    if (found == iterations_.end()) {
      int64_t number;
      return strand == deed.strand && side.task == task_of_[deed.task] && !side.is_iteration &&
             !detector_.IterationOf(side.task, number);
    }
    const IterationOfLoop& iteration = found->second;
    if (side.task != (iteration.is_task ? task_of_[deed.task] : iteration.loop->all)) return false;
    if (side.is_iteration != IsIteration(strand)) return false;
    if (side.is_iteration) {
      return side.iteration == iteration.Number() &&
             (deed.strand == kNoStrand || deed.strand == strand);
    }
    if (!iteration.is_task) return deed.MayBeOfAll() && strand == iteration.loop->strand;
    int64_t number;
    return deed.strand == strand && detector_.IterationOf(side.task, number) &&
           number == iteration.Number();
  }
  static bool Touches(const PastAccess& past, unsigned byte) {
    return byte >= past.access.first && byte < past.access.first + past.access.size;
  }

  taskrace::Execution running_;
  Detector<Engine, History, kMostFew> detector_{running_};
  __taskrace_frame frame_{};
  const uintptr_t base_;
  const size_t codes_;
  const Moves moves_;
  std::vector<LockSet> lock_sets_ = std::vector<LockSet>(4, kNoLocks);  // by their bits
  const Oracle* oracle_ = nullptr;
  TaskId oracle_task_ = kRootTask;  // the one that runs
  size_t position_ = 0;             // of the next access in its strand
  uint32_t next_strand_ = 0;
  std::map<TaskId, TaskId> task_of_;  // by what the oracle calls it
  std::map<GroupId, LoopHere> loops_;
  std::map<TaskId, IterationOfLoop> iterations_;
  std::map<TaskId, TaskId> last_iteration_;  // of the loop that the task is in
  std::vector<Deed> deeds_;                  // by number of the access
  bool in_moved_loop_ = false;
  std::vector<ReportedRace> put_off_;
  std::set<unsigned> racy_;      // since the last clear
  std::set<unsigned> expected_;  // first races that must be reported when the strand ends
  std::set<unsigned> reported_;  // since the strand began
  bool reuses_ = false;          // the bytes at hand are forgotten by the oracle already
  std::string wrong_;
  bool left_class_ = false;
};

}  // namespace taskrace::oracle

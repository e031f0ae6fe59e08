// ParallelWorker: the detector of one worker. It follows the task that the worker runs, collects
// what its strand touches, and tells it to the shared history when the strand ends.
//
// Thread rule: one worker each; no two run at the same time as the same worker. A worker lives as long
//             as the detection: its pages are part of the history.
// Cost:       a repeated access costs a look at a bit, another one an entry in the log; then a step a
//             cell. A construct costs a node and, if anything waits to be told, that.
// Tested by:  test/detect/parallel_worker_test.cc, test/oracle/parallel_threads_test.cc
#pragma once

#include "detect/parallel/known_relations.h"
#include "detect/parallel/parallel_detection.h"
#include "detect/parallel/parallel_loop.h"
#include "detect/race_places.h"
#include "detect/strand_log.h"

namespace taskrace {

class ParallelWorker {
 public:
  using TaskPlace = TaskTree::TaskPlace;
  using Group = TaskTree::Group;
  using Touch = AccessLog::Touch;
  // So many notes of a strand, and it is time to tell.
  static constexpr size_t kMostNotes = 4096;

  // Somebody whose code has a number, as StrandLog wants it.
  struct KnownCode {
    Where code;
    AccessLog::Caller Caller() const { return {static_cast<uint32_t>(code), 0}; }
    Where Code() const { return code; }
  };

  // What a worker has done; for scaling.md and statistics.
  struct Counts {
    uint64_t tasks = 0;  // created
    uint64_t ended = 0;
    uint64_t loops = 0;  // begun
    uint64_t loops_ended = 0;
    uint64_t iterations = 0;
    uint64_t iterations_as_tasks = 0;
    uint64_t whole_rows = 0;  // accesses that were decided on for a part of a loop at once
    uint64_t strands = 0;     // of tasks
    uint64_t ranges = 0;      // told to the history
    uint64_t records = 0;     // made
    uint64_t asked = 0;       // whether a record is parallel
    uint64_t queries = 0;     // of those, answered by the tree
  };

  explicit ParallelWorker(ParallelDetection& shared)
      : shared_(shared),
        number_(shared.epochs.Join()),
        quarantine_(shared.epochs),
        cells_(shared.epochs) {
    shared.places.Join(number_, places_);
  }

  // The constructs, as in task_tree.h. Each ends the strand of `task`, which this worker runs, and
  // begins its next one here; a child begins where a worker says Run.
  void Start(TaskPlace& root, Group& finish) {
    Wake();
    Renew();
    shared_.tree.Start(nodes_, root, finish);
    shared_.alone.OnStart();
    Run(root);
  }
  OutsideClass Create(TaskPlace& task, TaskPlace& child, How how, Group& group, Where at) {
    const Inside inside(*this);
    Stop();
    shared_.alone.OnCreate(group);
    const OutsideClass outside = shared_.tree.Create(nodes_, task, child, how, group, at);
    ++counts_.tasks;
    Run(task);
    return outside;
  }
  void Open(TaskPlace& task, Group& finish) {
    Stop();
    shared_.tree.Open(nodes_, task, finish);
    Run(task);
  }
  // All children of the group have ended, and the strand before was stopped.
  OutsideClass Join(TaskPlace& task, Group& group) {
    const TaskTree::Node joined = group.node;
    const OutsideClass outside = shared_.tree.Join(task, group);
    if (outside == nullptr && joined != TaskTree::kNoNode) shared_.tree.End(nodes_, joined);
    GoOn(task, group);
    return outside;
  }
  // The task ends.
  void End() {
    const TaskTree::Node task = step_.node;
    Stop();
    // A scope that the task has left open may still be used.
    if (shared_.tree.KindOf(task) == TaskTree::Kind::kAsync) shared_.tree.End(nodes_, task);
    ++counts_.ended;
  }
  // The strand ends: the task waits for a group.
  void Stop() {
    const Inside inside(*this);
    Tell();
    step_ = {};
    is_fresh_ = false;
  }
  // The worker begins a strand: the next one of a task, or the first one of a new task.
  void Run(const TaskPlace& task) {
    Begin(task.Now());
    ++counts_.strands;
  }

  // Loops. The task that this worker runs begins one, which workers run in parts.
  void BeginLoop(TaskPlace& task, ParallelLoop& loop, uint64_t count, int64_t index, Where at) {
    const Inside inside(*this);
    Stop();
    loop.count = count;
    loop.is_alone = IsAlone();
    shared_.tree.BeginLoop(nodes_, task, loop.group, index, at);
    shared_.alone.OnCreate(loop.group);
    ++counts_.loops;
    counts_.iterations += count;
  }
  // All parts are over; its creator goes on here, without locks as far as the worker knows.
  void JoinLoop(TaskPlace& task, ParallelLoop& loop) {
    const Inside inside(*this);
    Wake();
    locks_ = kNoLocks;
    if (loop.is_alone && !shared_.lone.Empty()) TellLone(loop);
    shared_.tree.JoinLoop(nodes_, task, loop.group);
    ++counts_.loops_ended;
    GoOn(task, loop.group);
  }
  // The worker runs iterations from now on, which hold no locks. Requires: its strand was stopped.
  void BeginPart(ParallelPart& part) {
    locks_ = kNoLocks;
    part.first_moved = moved_.Size();
    Begin(TaskTree::IterationOf(part.of.group, PartNumber(part.k)));
  }
  // An access was moved out of those.
  void Move(const MovedAccess& access) { moved_.Append(access); }
  // Iteration k begins; the one before is no task any more.
  void BeginIteration(ParallelPart& part, uint64_t k) {
    const Inside inside(*this);
    if (!part.has_marks) TellSharedReads(part);
    part.has_marks = true;
    CollectSkipped(part, k);
    Tell();
    Begin(TaskTree::IterationOf(part.of.group, static_cast<uint32_t>(k)));
    part.k = k;
    part.next = k + 1;
    if (moved_.Size() != part.first_moved) CollectMoved(part, k);
  }
  // The same, if the one before has left nothing to do. Else false, and nothing is done.
  [[gnu::always_inline]] bool GoOnWithIteration(ParallelPart& part, uint64_t k) {
    if (!is_fresh_ || !part.has_marks || !log_.Empty() || log_.Notes().Size() != 0 ||
        shared_.epochs.Now() != passed_ || part.next != k) {
      return false;
    }
    step_.strand = StrandId{static_cast<uint32_t>(k)};
    relations_.GoOn(step_);
    part.k = k;
    part.next = k + 1;
    if (moved_.Size() != part.first_moved) CollectMoved(part, k);
    return true;
  }
  // The iteration that runs reaches a construct: it is a task from now on, until End.
  void BecomeTask(ParallelPart& part) {
    const Inside inside(*this);
    Stop();
    shared_.tree.BecomeTask(nodes_, part.of.group, static_cast<uint32_t>(part.k), part.place);
    ++counts_.tasks;
    ++counts_.iterations_as_tasks;
    Run(part.place);
  }
  // The iterations are over, and the last one is no task any more.
  void EndPart(ParallelPart& part) {
    const Inside inside(*this);
    if (!part.has_marks && moved_.Size() != part.first_moved) TellPart(part);
    if (part.has_marks) CollectSkipped(part, part.end);
    Stop();
    moved_.Truncate(part.first_moved);
  }

  // The worker has nothing to run. Requires: its strand was stopped.
  void Rest() {
    const Inside inside(*this);
    quarantine_.Collect([this](const Quarantine::Block& block) { shared_.host.Release(block); });
    places_.Settle(StrandId{next_strand_});
    shared_.epochs.Rest(number_);
    rests_ = true;
  }

  // As StrandLog's, for the hooks' fast path: a plain access is collected already if Has says so.
  bool HasFew() const { return log_.IsFew(); }
  template <AccessKind kKind, size_t kSize>
  [[gnu::always_inline]] bool Has(uintptr_t first) const {
    return log_.template Has<kKind, kSize>(first);
  }
  template <AccessKind kKind>
  [[gnu::always_inline]] bool HasRange(uintptr_t first, size_t size) const {
    return log_.template HasRange<kKind>(first, size);
  }
  // True where no access can race: the root runs alone.
  bool IsAlone() const { return shared_.alone.Is(); }
  // A plain access waits for the strand's end, an atomic one does not.
  void Access(AccessKind kind, uintptr_t first, size_t size, Where where) {
    AccessRows(kind, {first, size}, KnownCode{where});
  }
  // Here: as StrandLog's.
  template <class Here>
  void AccessRows(AccessKind kind, const Touch& rows, Here here) {
    if (IsAlone()) return;
    const Inside inside(*this);
    if (IsAtomic(kind)) return TellNow(kind, rows.first, rows.size, here.Code());
    log_.Add({strand_, kind, locks_}, rows, here, Teller{*this});
    TellIfFull();
  }
  // The same for one plain access. Requires of the first: HasFew(); else !HasFew(), and Has or HasRange do not
  // know it. The root is not alone.
  template <AccessKind kKind, class Here>
  [[gnu::always_inline]] void AccessOneOfFew(uintptr_t first, size_t size, Here here) {
    const Inside inside(*this);
    log_.template AddOneOfFew<kKind>({strand_, kKind, locks_}, first, size, here, Teller{*this});
  }
  template <AccessKind kKind, class Here>
  [[gnu::always_inline]] void AccessOneOfMany(uintptr_t first, size_t size, Here here) {
    const Inside inside(*this);
    log_.template AddOneOfMany<kKind>({strand_, kKind, locks_}, first, size, here, Teller{*this});
    TellIfFull();
  }
  // An access that does not wait: the memory may be somebody else's soon.
  void AccessNow(AccessKind kind, uintptr_t first, size_t size, Where where) {
    if (IsAlone()) return;
    const Inside inside(*this);
    if (log_.Touches(first, size)) Tell();
    TellNow(kind, first, size, where);
  }
  // The block is gone: a write, and its memory waits until nobody can tell an older access. Its history
  // stays until whoever gets the memory says that it is new: a task that uses it too late races.
  void Retire(uintptr_t first, size_t size, Where where) {
    const Inside inside(*this);
    if (!IsAlone()) TellNow(AccessKind::kWrite, first, size, where);
    Withdraw(first, size);
  }
  // The same, where the end of the block is ordered by something that the dag does not show.
  void Withdraw(uintptr_t first, size_t size) {
    const Inside inside(*this);
    quarantine_.Add({first, size});
    // A long strand must not keep all that it frees.
    if (quarantine_.Waiting() % kMostWithdrawn == 0) Tell();
  }
  // The bytes are new. Requires: no other worker can have touched them before, as in a stack.
  void Clear(uintptr_t first, size_t size) {
    if (IsAlone()) return;  // all that cells say of them is settled
    const Inside inside(*this);
    if (log_.Touches(first, size)) log_.Forget(strand_, first, size, Teller{*this});
    shared_.history.Clear(cells_, first, size);
  }
  // The strand holds these locks from now on.
  void SetLocks(LockSet locks) {
    if (locks == locks_) return;
    const Inside inside(*this);
    Tell();
    locks_ = locks;
  }

  // Tells all that waits.
  void Tell() {
    const Inside inside(*this);
    // Of a round that begins after this look, the worker knows nothing yet: it has not passed it.
    passed_ = shared_.epochs.Now();
    TellLog();
    shared_.epochs.Pass(number_, passed_);
    if (shared_.collection.IsWanted()) [[unlikely]] {
      shared_.tree.HandOver(nodes_);
      shared_.collection.Advance([this](auto mark) { return shared_.history.ForEachRecord(mark); });
    }
    quarantine_.Collect([this](const Quarantine::Block& block) { shared_.host.Release(block); });
  }
  // What nobody needs is looked for when workers tell next, though there is little.
  void CollectSoon() { shared_.collection.Want(); }
  // True while the worker is in one of these functions; for signal handlers.
  bool IsInside() const { return inside_ != 0; }

  StrandId Strand() const { return strand_; }
  size_t Quarantined() const { return quarantine_.Waiting(); }
  const Counts& GetCounts() const { return counts_; }
  // Of the shadow pages that this worker has made.
  size_t ShadowBytes() const { return cells_.pages.BytesUsed(); }
  // Of where its strands touched what they are remembered for.
  size_t PlaceBytes() const { return places_.BytesUsed(); }
  const CellCounts& GetCellCounts() const { return cells_.counts; }

 private:
  class Inside {
   public:
    explicit Inside(ParallelWorker& worker) : worker_(worker) {
      ++worker_.inside_;
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    ~Inside() {
      std::atomic_signal_fence(std::memory_order_seq_cst);
      --worker_.inside_;
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    ParallelWorker& worker_;
  };

  // An access that is told at once.
  struct Now {
    Touch touch;
    Where where;
    bool is_noted = false;
  };
  // The access at hand, as the history asks for it. `now`: null if the log has noted where it was.
  class Context {
   public:
    Context(ParallelWorker& worker, AccessKind kind, Now* now)
        : worker_(worker), kind_(kind), now_(now) {}
    ~Context() { Report(); }

    StrandId Strand() { return worker_.strand_; }
    AccessKind Kind() { return kind_; }
    LockSet Locks() { return worker_.locks_; }
    bool Disjoint(LockSet a, LockSet b) {
      return a == kNoLocks || b == kNoLocks || worker_.shared_.host.MayRace(a, b);
    }
    bool IsSettled(RecordId id) { return worker_.shared_.records.IsSettled(id); }
    bool IsMine(RecordId id) { return Ask(id).relation == KnownRelations::kMine; }
    bool Parallel(RecordId id) { return Ask(id).relation == KnownRelations::kParallel; }
    uint32_t LcaDepth(RecordId a, RecordId b) { return worker_.relations_.LcaDepth(a, b); }
    uint32_t LcaDepthFromNow(RecordId id) { return Ask(id).lca_depth; }
    RecordId Record() {
      if (now_ != nullptr) worker_.Note(kind_, *now_);
      return worker_.Record();
    }
    // Neighbouring bytes are one race.
    void OnRace(RecordId earlier, AccessKind kind, LockSet locks, uintptr_t first, size_t size) {
      if (size_ != 0 && earlier == earlier_ && kind == earlier_kind_ && locks == earlier_locks_ &&
          first == first_ + size_) {
        size_ += size;
        return;
      }
      Report();
      earlier_ = earlier;
      earlier_kind_ = kind;
      earlier_locks_ = locks;
      first_ = first;
      size_ = size;
    }

   private:
    [[gnu::always_inline]] const KnownRelations::Answer& Ask(RecordId id) {
      return worker_.relations_.Ask(id);
    }
    void Report() {
      if (size_ == 0) [[likely]]
        return;
      worker_.Report(*this);
      size_ = 0;
    }

    ParallelWorker& worker_;
    friend ParallelWorker;
    const AccessKind kind_;
    Now* const now_;
    // The race that neighbours may still be added to; none if size_ is 0.
    uintptr_t first_ = 0;
    size_t size_ = 0;
    RecordId earlier_ = kNobody;
    AccessKind earlier_kind_ = AccessKind::kRead;
    LockSet earlier_locks_ = kNoLocks;
  };

  static constexpr uint32_t kStrandBlock = 1024;
  static constexpr size_t kMostWithdrawn = 1024;
  static constexpr size_t kFewPlaces = size_t{1} << 20;

  // Tells what the log has noted.
  struct Teller {
    ParallelWorker& worker;
    void operator()(AccessKind kind, uintptr_t first, size_t size) const {
      worker.TellRange(kind, first, size, nullptr);
    }
    // The accesses to a line of 64 bytes, by their bits; returns those that are still to be told.
    uint64_t TakeLine(uint64_t touched, uint64_t written, uintptr_t line) const {
      worker.Renew();
      worker.is_fresh_ = false;
      Context write(worker, AccessKind::kWrite, nullptr), read(worker, AccessKind::kRead, nullptr);
      const uint64_t left =
          worker.shared_.history.AccessLine(worker.cells_, touched, written, line, write, read);
      if (left != touched) ++worker.counts_.ranges;
      return left;
    }
  };
  [[gnu::always_inline]] void TellIfFull() {
    if (log_.Notes().Size() >= kMostNotes) [[unlikely]]
      Tell();
  }
  void TellNow(AccessKind kind, uintptr_t first, size_t size, Where where) {
    Now now{{first, size}, where};
    TellRange(kind, first, size, &now);
  }
  void TellRange(AccessKind kind, uintptr_t first, size_t size, Now* now) {
    ++counts_.ranges;
    Renew();
    is_fresh_ = false;
    Context context(*this, kind, now);
    shared_.history.Access(cells_, first, size, context);
  }

  // All that the strand has collected.
  void TellLog() {
    Renew();
    log_.Flush(Teller{*this});
    log_.Notes().Drop();
  }

  void Begin(TaskTree::Step step) {
    Wake();
    step_ = step;
    if (next_strand_ == end_of_strands_) TakeStrands();
    strand_ = StrandId{next_strand_++};
    relations_.Begin(step_, strand_);
    record_ = kNobody;
    is_fresh_ = true;
  }
  // The task has joined the group, or the loop.
  void GoOn(TaskPlace& task, const Group& joined) {
    if (shared_.alone.OnJoin(joined)) {
      const Inside inside(*this);
      shared_.collection.BeginAnew([this] { shared_.history.Clear(cells_, 0, SIZE_MAX); });
    }
    Run(task);
  }

  static uint32_t PartNumber(uint64_t first) {
    return ParallelLoop::kFirstPart + static_cast<uint32_t>(first);
  }
  std::span<const MovedAccess> MovedOutOf(const ParallelPart& part) const {
    return {moved_.Data() + part.first_moved, moved_.Size() - part.first_moved};
  }
  // What was moved out of iteration k, which runs.
  void CollectMoved(const ParallelPart& part, uint64_t k) {
    const Inside inside(*this);
    for (const MovedAccess& moved : MovedOutOf(part)) CollectIf(moved, k);
  }
  // The same for iterations before k that had no mark, because they made no access that stays in the loop.
  void CollectSkipped(ParallelPart& part, uint64_t k) {
    if (moved_.Size() == part.first_moved) return;
    for (; part.next < k; ++part.next) {
      Tell();
      Begin(TaskTree::IterationOf(part.of.group, static_cast<uint32_t>(part.next)));
      CollectMoved(part, part.next);
    }
  }
  void CollectIf(const MovedAccess& moved, uint64_t k) {
    if (k - moved.k >= moved.count) return;
    log_.Add({strand_, moved.kind, kNoLocks}, moved.In(k - moved.k), KnownCode{moved.code},
             Teller{*this});
  }
  // What all iterations read alike is told once, as read by one more of them: somebody else reads it, too.
  // Requires: the part's own strand runs.
  void TellSharedReads(const ParallelPart& part) {
    size_t left = part.first_moved;
    for (size_t i = left; i < moved_.Size(); ++i) {
      if (moved_[i].IsSharedRead()) {
        TellAsOne(moved_[i]);
      } else {
        moved_[left++] = moved_[i];
      }
    }
    moved_.Truncate(left);
  }
  // Accesses are told as those of the strand that runs.
  void TellAsOne(const MovedAccess& moved) {
    ++counts_.whole_rows;
    // What has several lines has them in each row.
    moved.ForEachTouch(!shared_.host.HasParts(moved.code), [&](const Touch& touch) {
      log_.Notes().Add({strand_, moved.kind, kNoLocks}, moved.code, touch);
      touch.ForEachRow([&](uintptr_t row) { TellRange(moved.kind, row, touch.size, nullptr); });
    });
  }
  // All accesses of the part's iterations were moved. Nothing else may be told before the last of them: others
  // would take it that all was told that is done.
  [[gnu::noinline]] void TellPart(const ParallelPart& part) {
    const std::span<const MovedAccess> moved = MovedOutOf(part);
    if (IterationsMayConflict(moved, part.of.count)) {
      TellIterations(part.of, moved);
    } else if (part.of.is_alone && !part.has_staying) {
      counts_.whole_rows += moved.size();
      shared_.lone.Add(moved);
    } else {
      for (const MovedAccess& access : moved) TellAsOne(access);
    }
  }
  // The same at the end of a loop, for parts that are not told.
  [[gnu::noinline]] void TellLone(const ParallelLoop& loop) {
    const std::span<const MovedAccess> moved = shared_.lone.PutTogether();
    const bool are_all = std::all_of(moved.begin(), moved.end(), [&](const MovedAccess& access) {
      return access.k == 0 && access.count == loop.count;
    });
    if (!are_all || IterationsMayConflict(moved, loop.count)) {
      TellIterations(loop, moved);
      Tell();
    }
    shared_.lone.Clear();
  }
  // Each iteration's accesses as its own.
  void TellIterations(const ParallelLoop& loop, std::span<const MovedAccess> moved) {
    uint64_t first = UINT64_MAX, end = 0;
    for (const MovedAccess& access : moved) {
      first = std::min(first, access.k);
      end = std::max(end, access.k + access.count);
    }
    for (uint64_t k = first; k < end; ++k) {
      Begin(TaskTree::IterationOf(loop.group, static_cast<uint32_t>(k)));
      for (const MovedAccess& access : moved) CollectIf(access, k);
      TellLog();
    }
  }

  void Wake() {
    if (!rests_) return;
    shared_.epochs.Wake(number_);
    rests_ = false;
  }

  // Forgets the numbers of records and nodes, if they may be used again. Before anything is told.
  void Renew() {
    const Collection::Round now = shared_.collection.Now();
    if (now != round_) [[unlikely]]
      ForgetNumbers(now);
  }
  [[gnu::noinline, gnu::cold]] void ForgetNumbers(Collection::Round now) {
    records_.LetGo();
    nodes_.LetGo();
    relations_.ForgetNodes();
    record_ = kNobody;
    places_.Settle(strand_);
    if (now.of_records != round_.of_records) {
      relations_.ForgetRecords();
      cells_.changes.Forget();
    }
    round_ = now;
  }

  // The strand's record, for a cell: from now on others may ask where the strand has been.
  RecordId Record() {
    if (log_.Notes().Size() != 0) TakeNotes();
    if (record_ == kNobody) {
      ++counts_.records;
      record_ = shared_.records.Add(records_,
                                    AccessRecord{step_, strand_, static_cast<uint32_t>(number_)});
    }
    return record_;
  }
  [[gnu::noinline]] void TakeNotes() {
    if (places_.Take(strand_, log_.Notes(), std::max(kFewPlaces, ShadowBytes() / 8))) CollectSoon();
  }
  void Note(AccessKind kind, Now& now) {
    if (log_.Notes().Size() != 0) TakeNotes();
    if (!now.is_noted) places_.Add({strand_, kind, locks_}, now.where, now.touch);
    now.is_noted = true;
  }

  // Puts both places to a race, which may be several: one for each pair of accesses.
  [[gnu::noinline, gnu::cold]] void Report(const Context& c) {
    if (c.now_ != nullptr) {
      Note(c.kind_, *c.now_);
    } else if (log_.Notes().Size() != 0) {
      TakeNotes();
    }
    const AccessRecord record = shared_.records[c.earlier_];
    const RacingAccess earlier{record.strand, c.earlier_kind_, c.earlier_locks_};
    const RacingAccess later{strand_, c.kind_, locks_};
    const AccessRecord now{step_, strand_, static_cast<uint32_t>(number_)};
    const auto find_in = [this](PlaceLog& log, const RacingAccess& by) {
      return [this, &log, by](uintptr_t byte) {
        return shared_.host.PartWith(byte, log.Find(by, byte));
      };
    };
    ForEachPairOfAccesses(
        c.first_, c.first_ + c.size_, find_in(shared_.places[record.worker], earlier),
        find_in(places_, later),
        [&](uintptr_t first, size_t size, const AccessLog::Found& one,
            const AccessLog::Found& other) {
          shared_.host.OnRace({first,
                               size,
                               {record, earlier.kind, earlier.locks, one.code, one.size},
                               {now, later.kind, later.locks, other.code, other.size}});
        });
  }

  [[gnu::noinline]] void TakeStrands() {
    next_strand_ = shared_.strands.fetch_add(kStrandBlock, std::memory_order_relaxed);
    end_of_strands_ = next_strand_ + kStrandBlock;
    CheckLimit(end_of_strands_ < Index(kLastTaskStrand), "it has too many strands");
  }

  ParallelDetection& shared_;
  const size_t number_;  // of this worker
  bool rests_ = true;
  uint32_t inside_ = 0;
  TaskTree::Step step_ = {};
  StrandId strand_ = kNoStrand;
  bool is_fresh_ = false;  // the strand has told nothing
  uint64_t passed_ = 0;    // the epoch that was the newest when it told
  LockSet locks_ = kNoLocks;
  uint32_t next_strand_ = 0;
  uint32_t end_of_strands_ = 0;

  StrandLog<> log_;
  MappedArray<MovedAccess> moved_{"the accesses of a loop"};  // out of the parts that it runs
  Quarantine quarantine_;
  Collection::Round round_;  // numbers from before are forgotten
  TaskTree::Cursor nodes_;
  RecordTable::Cursor records_;
  RecordId record_ = kNobody;  // of the strand; none: not made yet
  PlaceLog places_;
  ParallelHistory::Cursor cells_;
  Counts counts_;
  KnownRelations relations_{shared_.tree, shared_.records, counts_.asked, counts_.queries};
};

}  // namespace taskrace

// Detector<Engine, History>: an engine and a history put together. Plain accesses of a strand are
// collected, with where they were (strand_log.h), and told to the history when the strand ends, or when
// their memory or the locks held change. Everything on the way from an access hook to a look at a bit is
// inlined here.
//
// As long as the root is alone, with no task that somebody has to join, its accesses are not even
// collected: all that ran precedes them, and they precede all that comes.
//
// An iteration of a parallel loop is a strand with few accesses. They are not collected, but wait for some others and
// then go to the history one by one (pending_accesses.h, sibling_accesses.h). Those that the compiler has moved out of
// the loop come for all iterations at once (moved_accesses.h).
//
// The file is long because the hooks, the three ways of an access to the history and the events of constructs share
// the state below.
#pragma once

#include <algorithm>

#include "detect/detection.h"
#include "detect/history/access_history.h"
#include "detect/iteration_log.h"
#include "detect/loop_part.h"
#include "detect/moved_accesses.h"
#include "detect/pending_accesses.h"
#include "detect/race_places.h"
#include "detect/reach/reachability.h"
#include "detect/sibling_accesses.h"
#include "detect/strand_log.h"
#include "detect/table_collection.h"

namespace taskrace {

// kMostFew: of StrandLog.
template <Reachability Engine, AccessHistory History, size_t kMostFew = 16>
class Detector final : public Detection {
 public:
  // Requires: no other Detector of this type lives.
  explicit Detector(Execution& execution) : Detection(execution) { active_ = this; }

  void OnStart(TaskId task, GroupId finish, StrandId strand) override {
    engine_.OnStart(task, finish, strand);
  }
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group,
                        StrandId strand) override {
    Flush();
    is_alone_ = false;
    is_iteration_ = false;
    singles_left_ = 0;
    own_bytes_ = 0;
    return engine_.OnCreate(task, child, how, group, strand);
  }
  OutsideClass OnEnd(TaskId task) override {
    Flush();
    execution_.tasks.End(task);
    return engine_.OnEnd(task);
  }
  void OnProceed(TaskId task, StrandId strand) override {
    engine_.OnProceed(task, strand);
    collection_.RunIfDue(execution_, engine_, history_, strand);
  }
  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) override {
    Flush();
    return engine_.OnOpen(task, finish, strand);
  }
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) override {
    Flush();
    const OutsideClass outside = engine_.OnJoin(task, group, how, singles, strand);
    Forget(strand);
    return outside;
  }
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) override {
    Flush();
    const OutsideClass outside = engine_.OnGet(task, child, how, strand);
    Forget(strand);
    return outside;
  }
  OutsideClass OnBlock(TaskId task) override {
    Flush();
    return engine_.OnBlock(task);
  }
  OutsideClass OnSet(TaskId task, PromiseId promise) override {
    Flush();
    return engine_.OnSet(task, promise);
  }
  OutsideClass OnGetPromise(TaskId task, PromiseId promise, StrandId strand) override {
    Flush();
    return engine_.OnGetPromise(task, promise, strand);
  }
  void OnOver(PromiseId promise) override { engine_.OnOver(promise); }
  bool Precedes(StrandId strand) override { return Context{*this, nullptr}.Precedes(strand); }

  void OnLoop() override { loop_is_alone_ = is_alone_; }
  void OnPart(TaskId, GroupId) override {
    moved_.Clear();
    moves_are_own_ = false;
    is_iteration_ = false;
    singles_per_iteration_ = kMostSingles;
    collecting_ = 0;
  }
  void OnRun(bool are_iterations) override { moves_are_own_ = !are_iterations; }
  void OnIteration(uint64_t k) override {
    Flush();
    // The iteration before has used them up, or had none.
    if (is_iteration_ && singles_left_ == 0) DecideSingles();
    is_iteration_ = true;
    singles_left_ = singles_per_iteration_;
    LoopPart& part = *execution_.part;
    if (!part.is_numbered && !moved_.Empty()) NumberIterations();
    if (!part.is_numbered) {
      const StrandId strand = execution_.loops.Take(part.number, k, 1);
      part.offset = Index(strand) - static_cast<uint32_t>(k);
    }
    part.k = k;
    execution_.strand = part.StrandOf(k);
    own_low_ = execution_.stack_low;
    const bool is_own = part.own_end > own_low_ && part.own_end <= execution_.stack_high;
    own_bytes_ = is_own ? part.own_end - own_low_ : 0;
  }
  void OnPartEnd(GroupId) override {
    Flush();
    singles_left_ = 0;
    own_bytes_ = 0;
    if (moved_.Empty()) return moved_.Clear();
    whole_loop_rows_ += moved_.Size();
    if (moved_.MayConflict()) CompareMoved();
    if (!loop_is_alone_) CheckMoved();
    moved_.Clear();
  }

  void Access(AccessKind kind, uintptr_t first, size_t size, uintptr_t pc,
              Operation operation) override {
    if (is_alone_) return;
    if (!IsAtomic(kind) && operation == Operation::kPlain) {
      return Collect(kind, {first, size}, pc);
    }
    if (IsOwn(first, size)) return;
    if (IsAtomic(kind) && TakesSingles() && size <= PendingAccess::kMostBytes) {
      if (known_.Has(kind, first, size)) return;
      return AccessSingle(kind, first, size, pc, operation);
    }
    EndSingles();
    const Where code = CodeAt(pc, operation);
    if (moved_.MayMeet(kind, first, size)) [[unlikely]]
      CompareWithMoved(kind, first, size, code);
    AccessNow(kind, first, size, code);
  }
  void Retire(uintptr_t first, size_t size, uintptr_t pc, Operation operation) override {
    if (IsOwn(first, size)) return;
    CheckPending();
    known_.Forget(first, size);
    if (!ForgetOrdered(first, size)) {
      FlushBytes(first, size);
      const AccessLog::Found here{CodeAt(pc, operation), first, size, first + size, 0};
      Context context{*this, &here};
      history_.Retire(first, size, context);
      ForgetNotes(first, size);
    }
    // Nothing that is known of the stack lies below its end any more.
    if (execution_.stack_touched == first) execution_.stack_touched = first + size;
  }
  void Clear(uintptr_t first, size_t size) override {
    if (IsOwn(first, size)) return history_.Clear(first, size);
    CheckPending();
    known_.Forget(first, size);
    if (log_.Empty() || !ForgetOrdered(first, size)) {
      FlushBytes(first, size);
      history_.Clear(first, size);
      ForgetNotes(first, size);
    }
  }
  void Flush() override {
    EndSingles();
    log_.Flush(Tell{*this});
    DeliverRaces();
    if (log_.Notes(execution_.strand).WantsCollection(kSmallLog) ||
        loop_notes_.WantsCollection(kSmallLog)) [[unlikely]] {
      CollectNotes();
    }
    if (iterations_.WantsCollection(kSmallLog)) [[unlikely]]
      iterations_.Collect([this](auto mark) { history_.ForEachStrand(mark); });
  }

  const AccessHooks& Hooks() const override { return kHooks; }
  bool Switches() const override { return !std::is_base_of_v<WithoutPromises, Engine>; }
  const char* EngineName() const override {
    if constexpr (requires { engine_.Name(); }) return engine_.Name();
    return Engine::kName;
  }
  OutsideClass Left() const override {
    if constexpr (requires { engine_.Left(); }) return engine_.Left();
    return nullptr;
  }
  const char* HistoryName() const override { return History::kName; }
  Statistics GetStatistics() const override {
    Statistics statistics{
        .tasks = execution_.tasks.Size() == 0
                     ? 0
                     : execution_.tasks.Size() - 1 - execution_.loops.LoopsEver(),
        .loops = execution_.loops.LoopsEver(),
        .iterations = execution_.loops.IterationsEver(),
        .iterations_as_tasks = execution_.loops.TasksEver(),
        .whole_loop_rows = whole_loop_rows_,
        .queries = queries_,
        .engine_bytes = engine_.BytesUsed(),
        .history_bytes = history_.BytesUsed() + log_.BytesUsed() + loop_notes_.BytesUsed() +
                         moved_.BytesUsed() + iterations_.BytesUsed(),
        .context_bytes = execution_.contexts.BytesUsed(),
        .task_bytes = execution_.tasks.BytesUsed() + execution_.loops.BytesUsed()};
    if constexpr (requires { history_.IntervalCount(); }) {
      statistics.intervals = history_.IntervalCount();
    }
    if constexpr (requires { history_.ReaderEntries(); }) {
      statistics.reader_entries = history_.ReaderEntries();
    }
    return statistics;
  }

 private:
  // What the history may ask about the access at hand (access_history.h).
  struct Context {
    static constexpr bool kOneReader = Engine::kOneReader;

    Detector& detector;
    const AccessLog::Found* here;  // the access; null: the log knows

    StrandId Strand() { return detector.execution_.strand; }
    LockSet Locks() { return detector.execution_.locks; }
    bool Disjoint(LockSet a, LockSet b) { return detector.execution_.lock_sets.Disjoint(a, b); }
    bool Subset(LockSet a, LockSet b) { return detector.execution_.lock_sets.Subset(a, b); }
    bool ReportsLockOrder() { return detector.execution_.reports_lock_order; }
    void OnRace(const Race& race) { detector.Report(race, here); }
    uint64_t ReaderClass(StrandId u)
      requires(!Engine::kOneReader)
    {
      // The strand at hand will come after itself, and after no other iteration.
      if (IsIteration(u)) [[unlikely]] {
        if (u == Strand()) return ~uint64_t{0} - Index(u);
        if (detector.execution_.loops.IsForgotten(u)) return ~uint64_t{0} >> 1;
        u = detector.execution_.loops.EngineStrand(u);
      }
      return detector.engine_.ReaderClass(u);
    }
    [[gnu::always_inline]] bool IsSibling(StrandId u) const {
      const Execution& execution = detector.execution_;
      return u >= execution.loops.FirstOfPiece() && u <= kLastStrand && u != execution.strand &&
             IsIteration(execution.strand);
    }
    // Neighbouring bytes were touched by the same few strands.
    [[gnu::always_inline]] bool Precedes(StrandId u) {
      if constexpr (requires { detector.engine_.IsSettled(u); }) {
        if (detector.engine_.IsSettled(u)) return true;
      }
      if (IsIteration(u)) {
        if (detector.execution_.loops.IsForgotten(u)) return true;
        return !IsSibling(u) && detector.IterationPrecedes(u);
      }
      const StrandId now = detector.execution_.engine_strand;
      Answer& answer = detector.answers_[Index(u) % kAnswers];
      if (answer.u != u || answer.now != now) {
        ++detector.queries_;
        answer = {u, now, detector.engine_.Precedes(u)};
      }
      return answer.precedes;
    }
  };
  static_assert(AccessContext<Context>);

  // Hands what was collected to the history.
  struct Tell {
    Detector& detector;
    void operator()(AccessKind kind, uintptr_t first, size_t size) const {
      if (detector.moved_.MayMeet(kind, first, size)) [[unlikely]] {
        detector.CompareWithMoved(kind, first, size, kNowhere);
      }
      Context context{detector, nullptr};
      detector.history_.Access(kind, first, size, context);
    }
    // The accesses to a line of 64 bytes, by their bits; returns those that are still to be told.
    uint64_t TakeLine(uint64_t touched, uint64_t written, uintptr_t line) const
      requires requires(History history, Context c) {
        history.AccessLine(touched, written, line, c);
      }
    {
      if (detector.moved_.MayMeet(AccessKind::kWrite, line, kLineBytes)) [[unlikely]]
        return touched;
      Context context{detector, nullptr};
      return detector.history_.AccessLine(touched, written, line, context);
    }
  };

  // The access at hand, for the log.
  struct Here {
    Detector& detector;
    uintptr_t pc;
    Operation operation = Operation::kPlain;
    AccessLog::Caller Caller() const { return {pc, __taskrace_top->context}; }
    Where Code() const { return detector.CodeAt(pc, operation); }
  };
  RacingAccess By(AccessKind kind) const { return {execution_.strand, kind, execution_.locks}; }
  // The code at hand. How many bytes it touches, the log knows.
  [[gnu::always_inline]] Where CodeAt(uintptr_t pc, Operation operation) {
    return execution_.contexts.Intern(__taskrace_top, pc, 0, operation);
  }

  // Is it stack memory of the running iteration, which is no task? Nobody else has run since its lifetime began, and
  // it ends before anybody else runs, or what the iteration did up to now precedes all who get to know the address.
  [[gnu::always_inline]] bool IsOwn(uintptr_t first, size_t size) const {
    const uintptr_t offset = first - own_low_;
    return offset < own_bytes_ && size <= own_bytes_ - offset;
  }

  // Does an iteration of a loop precede? It does so as the strand that the engine knows for it.
  [[gnu::noinline]] bool IterationPrecedes(StrandId u) {
    if (u >= compared_from_) return true;
    Context context{*this, nullptr};
    return context.Precedes(execution_.loops.EngineStrand(u));
  }

  // All iterations of the part get their numbers, which go up with k. Requires: no iteration becomes a task.
  [[gnu::noinline]] void NumberIterations() {
    LoopPart& part = *execution_.part;
    const uint64_t count =
        (part.is_units ? part.end : execution_.loops[part.number].count) - part.begin;
    const StrandId first = execution_.loops.Take(part.number, part.begin, count);
    part.offset = Index(first) - static_cast<uint32_t>(part.begin);
    part.is_numbered = true;
    moved_.Keep(first, part.begin);
  }
  // The running iteration touches bytes that others may touch by moved accesses. code: kNowhere if the log has it.
  [[gnu::noinline]] void CompareWithMoved(AccessKind kind, uintptr_t first, size_t size,
                                          Where code) {
    const LoopPart& part = *execution_.part;
    const RacingAccess by = By(kind);
    const uintptr_t end = first + size;
    const AccessLog::Found here{code, first, size, end, 0};
    const auto find_here = [&](uintptr_t byte) {
      return code == kNowhere ? Find(by, byte) : PartWith(byte, here);
    };
    for (size_t i = 0; i < moved_.Size(); ++i) {
      const MovedAccess& moved = moved_[i];
      if (!Conflict(kind, moved.kind)) continue;
      moved.ForEachAt(first, end, part.k - moved.k, [&](uint64_t number, uintptr_t row) {
        const uint64_t k = moved.k + number;
        const RacingAccess other{part.StrandOf(k), moved.kind, kNoLocks};
        const AccessLog::Found there{moved.code, row, moved.size, row + moved.size, 0};
        const auto find_there = [&](uintptr_t byte) { return PartWith(byte, there); };
        const uintptr_t from = std::max(first, row), to = std::min(end, row + moved.size);
        if (k > part.k) {
          ForEachPairOfAccesses(from, to, find_here, find_there,
                                [&](uintptr_t at, size_t bytes, const auto& one, const auto& two) {
                                  Report({at, bytes, by, other}, one, two);
                                });
        } else {
          ForEachPairOfAccesses(from, to, find_there, find_here,
                                [&](uintptr_t at, size_t bytes, const auto& one, const auto& two) {
                                  Report({at, bytes, other, by}, one, two);
                                });
        }
      });
    }
  }
  // The loop is over, and some moved accesses may conflict with each other. Their iterations go through a history of
  // their own: accesses that stayed in the loop have been compared with them, and must not hide any.
  [[gnu::noinline]] void CompareMoved() {
    LoopPart& part = *execution_.part;
    if (!part.is_numbered) NumberIterations();
    const StrandId running = execution_.strand;
    const auto [begin, end] = moved_.Iterations();
    Context context{*this, nullptr};
    for (uint64_t k = begin; k < end; ++k) {
      execution_.strand = part.StrandOf(k);
      for (size_t i = 0; i < moved_.Size(); ++i) {
        const MovedAccess& moved = moved_[i];
        if (k - moved.k >= moved.count) continue;
        moved.In(k - moved.k).ForEachRow([&](uintptr_t row) {
          iterations_history_.Access(moved.kind, row, moved.size, context);
        });
      }
      DeliverRaces();
    }
    for (size_t i = 0; i < moved_.Size(); ++i) {
      iterations_history_.Clear(moved_[i].LowOfAll(), moved_[i].ExtentOfAll());
    }
    execution_.strand = running;
  }
  // The moved accesses go to the history as those of one strand, which has been compared with the iterations.
  [[gnu::noinline]] void CheckMoved() {
    const LoopPart& part = *execution_.part;
    if (part.is_numbered) compared_from_ = part.StrandOf(part.begin);
    for (size_t i = 0; i < moved_.Size(); ++i) {
      CheckAsOne(moved_[i], execution_.loops[part.number].strand);
    }
    compared_from_ = kNoneCompared;
  }
  // What was moved is checked as if one strand had done it for all iterations.
  void CheckAsOne(const MovedAccess& moved, StrandId strand) {
    const StrandId running = execution_.strand;
    execution_.strand = strand;
    Context context{*this, nullptr};
    // What has several lines has them in each row.
    const bool joins = execution_.contexts[moved.code].operation() != Operation::kParts;
    moved.ForEachTouch(joins, [&](const AccessLog::Touch& touch) {
      loop_notes_.Add(By(moved.kind), moved.code, touch);
      touch.ForEachRow(
          [&](uintptr_t row) { history_.Access(moved.kind, row, touch.size, context); });
    });
    DeliverRaces();
    execution_.strand = running;
  }

  // Notes that are few beside the history may stay as they are.
  [[gnu::noinline]] void CollectNotes() {
    const size_t others = std::max(kSmallLog, history_.BytesUsed());
    ForEachNotes([&](AccessLog& notes) {
      if (!notes.WantsCollection(others)) return;
      notes.Collect(
          others, [this](auto mark) { history_.ForEachStrand(mark); },
          [this](StrandId strand, uintptr_t first, size_t size) {
            return history_.MayRemember(strand, first, size);
          });
    });
  }
  template <class Visit>
  void ForEachNotes(Visit visit) {
    log_.ForEachNotes(visit);
    visit(loop_notes_);
  }

  // Whoever precedes all that comes will not be asked for, nor who is not remembered.
  void Forget(StrandId next) {
    ForgetIfSettled(next);
    collection_.RunIfDue(execution_, engine_, history_, next);
  }
  void ForgetIfSettled(StrandId next) {
    if constexpr (requires { engine_.AllIsSettled(next); }) {
      if (!engine_.AllIsSettled(next)) return;
      is_alone_ = true;
      ForEachNotes([](AccessLog& notes) { notes.Drop(); });
      moved_.Drop();
      iterations_.Drop();
      execution_.tasks.Forget();
      execution_.loops.Forget();
    }
  }

  // Plain accesses wait for the strand's end.
  void Collect(AccessKind kind, const AccessLog::Touch& touch, uintptr_t pc,
               Operation operation = Operation::kPlain) {
    if (touch.size == 0 || touch.count == 0 || is_alone_) return;
    if (IsOwn(touch.Low(), touch.Extent())) return;
    EndSingles();
    execution_.NoteTouched(touch.Low());
    log_.Add(By(kind), touch, Here{*this, pc, operation}, Tell{*this});
  }
  // The bytes are gone. If all that is remembered of them precedes, whatever the strand did to them
  // races with nothing, and is forgotten with the rest. Else false, and nothing is done.
  bool ForgetOrdered(uintptr_t first, size_t size) {
    if (!log_.CanForget(first, size)) return false;
    Context context{*this, nullptr};
    if (!history_.ClearIfOrdered(first, size, context)) return false;
    log_.Forget(execution_.strand, first, size, Tell{*this});
    iterations_.Forget(execution_.strand, first, size);
    return true;
  }
  // Where the strand touched these bytes is not asked for any more.
  void ForgetNotes(uintptr_t first, size_t size) {
    log_.Notes(execution_.strand).Forget(execution_.strand, first, size);
    iterations_.Forget(execution_.strand, first, size);
  }
  // What the strand has done to these bytes is told now: others will use them, or nobody.
  void FlushBytes(uintptr_t first, size_t size) {
    log_.FlushBytes(first, size, Tell{*this});
    if (found_ == 0) [[likely]]
      return;
    // Whatever the strand did before it comes first in the report, too.
    log_.FlushBytes(Tell{*this});
    DeliverRaces();
  }

  // The part of the access that touches the byte, if it is one of several lines.
  AccessLog::Found PartWith(uintptr_t byte, AccessLog::Found found) {
    const Contexts::Site site = execution_.contexts[found.code];
    if (site.operation() != Operation::kParts) return found;
    const uintptr_t pc = FindPart(site, byte, found);
    found.code = execution_.contexts.Intern(Contexts::Site(pc, site.context, 0, Operation::kPlain));
    return found;
  }

  // Where the strand touched the byte.
  AccessLog::Found Find(const RacingAccess& by, uintptr_t byte) {
    AccessLog::Found found;
    if (IsIteration(by.strand)) {
      if (!iterations_.Find(by, byte, found) && !moved_.Find(by, byte, found)) {
        found = log_.Notes(by.strand).Find(by, byte);
      }
    } else {
      found = (loop_notes_.Has(by.strand) ? loop_notes_ : log_.Notes(by.strand)).Find(by, byte);
    }
    return PartWith(byte, found);
  }
  RaceSide SideOf(StrandId strand, Where where) const {
    if (!IsIteration(strand)) return {engine_.TaskOf(strand), where};
    return {execution_.loops.TaskOf(strand), where, true, execution_.loops.NumberOf(strand)};
  }

  // Puts both places to a race, which may be several: one for each pair of accesses.
  [[gnu::noinline, gnu::cold]] void Report(const Race& race, const AccessLog::Found* here) {
    ForEachPairOfAccesses(
        race.first, race.first + race.size,
        [&](uintptr_t byte) { return Find(race.earlier, byte); },
        [&](uintptr_t byte) { return here == nullptr ? Find(race.later, byte) : *here; },
        [&](uintptr_t first, size_t size, const auto& earlier, const auto& later) {
          Report({first, size, race.earlier, race.later}, earlier, later);
        });
  }
  void Report(const Race& race, const AccessLog::Found& earlier, const AccessLog::Found& later) {
    const auto where = [this](const AccessLog::Found& found) {
      const Contexts::Site code = execution_.contexts[found.code];
      return execution_.contexts.Intern(
          Contexts::Site(code.pc, code.context, found.size, code.operation()));
    };
    if (found_ == kMostFound) DeliverRaces();
    found_races_[found_++] = {race, where(earlier), where(later), later.number};
    if (later.number == 0) DeliverRaces();
  }
  // Those of a strand in the order of its accesses: the first one is the one to begin with.
  void DeliverRaces() {
    if (found_ == 0) [[likely]]
      return;
    std::sort(found_races_, found_races_ + found_, [](const FoundRace& a, const FoundRace& b) {
      return a.order != b.order ? a.order < b.order : a.race.first < b.race.first;
    });
    for (size_t i = 0; i < found_; ++i) {
      const auto& [race, earlier, later, order] = found_races_[i];
      execution_.sink->OnRace(race, SideOf(race.earlier.strand, earlier),
                              SideOf(race.later.strand, later));
    }
    found_ = 0;
  }

  // The hooks proper. They are jumped to, so their return address is the instrumented access.
  template <AccessKind kKind, size_t kSize>
  static void Sized(const void* address) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(address);
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    Detector& detector = *active_;
    if (detector.log_.IsFew()) return SizedFew<kKind, kSize>(first, pc);
    if (detector.log_.template Has<kKind, kSize>(first)) [[likely]]
      return;
    SizedSlow<kKind, kSize>(first, pc);
  }
  // Not inlined: the fast path would save registers for them.
  template <AccessKind kKind, size_t kSize>
  [[gnu::noinline]] static void SizedFew(uintptr_t first, uintptr_t pc) {
    Detector& detector = *active_;
    if (detector.IsOwn(first, kSize)) return;
    if (detector.singles_left_ == 0) return SizedCollected<kKind, kSize>(first, pc);
    if (detector.known_.Has(kKind, first, kSize)) return;
    --detector.singles_left_;
    detector.AccessSingle(kKind, first, kSize, pc, Operation::kPlain);
  }
  template <AccessKind kKind, size_t kSize>
  [[gnu::noinline]] static void SizedCollected(uintptr_t first, uintptr_t pc) {
    Detector& detector = *active_;
    if (detector.is_alone_) return;
    detector.EndSingles();
    detector.execution_.NoteTouched(first);
    detector.log_.template AddOneOfFew<kKind>(detector.By(kKind), first, kSize, Here{detector, pc},
                                              Tell{detector});
  }
  // Does the running iteration have few accesses up to now? Those of others are not pending otherwise.
  bool TakesSingles() const { return singles_left_ != 0 && log_.IsFew(); }
  // The iterations of a loop have few accesses: each goes to the history by itself, soon.
  [[gnu::always_inline]] void AccessSingle(AccessKind kind, uintptr_t first, size_t size,
                                           uintptr_t pc, Operation operation) {
    execution_.NoteTouched(first);
    if constexpr (requires { typename History::Single; }) {
      __taskrace_frame* const top = __taskrace_top;
      if (execution_.locks == kNoLocks && top->context != 0) [[likely]] {
        known_.Note(kind, first, size,
                    kind != AccessKind::kWrite && !moved_.MayMeet(kind, first, size));
        pending_.Add({first, pc, execution_.strand, ContextId{top->context}, kind,
                      static_cast<uint8_t>(size), operation});
        history_.Prefetch(first);
        if (pending_.IsFull()) CheckAllPending();
        return;
      }
    }
    AccessSingleSlow(kind, first, size, pc, operation);
  }
  [[gnu::noinline]] void AccessSingleSlow(AccessKind kind, uintptr_t first, size_t size,
                                          uintptr_t pc, Operation operation) {
    CheckPending();
    known_.Note(kind, first, size, false);
    const ContextId context = execution_.contexts.ContextOf(__taskrace_top);
    CheckSingle(
        {first, pc, execution_.strand, context, kind, static_cast<uint8_t>(size), operation});
  }
  void CheckPending() {
    if (!pending_.Empty()) CheckAllPending();
  }
  // What follows goes to the history another way.
  void EndSingles() {
    CheckPending();
    known_.Clear();
  }
  [[gnu::noinline]] void CheckAllPending() {
    const StrandId running = execution_.strand;
    for (const PendingAccess& access : pending_.TakeAll()) {
      execution_.strand = access.strand;
      CheckSingle(access);
    }
    execution_.strand = running;
  }
  // The iteration that made the access is said to be the one that runs meanwhile.
  [[gnu::noinline]] void CompareWithMoved(const PendingAccess& access) {
    LoopPart& part = *execution_.part;
    const size_t k = part.k;
    part.k -= Index(part.StrandOf(k)) - Index(access.strand);
    CompareWithMoved(access.kind, access.first, access.size,
                     execution_.contexts.Intern(access.Site()));
    DeliverRaces();
    part.k = k;
  }
  // Requires: its strand is said to be the one that runs.
  [[gnu::always_inline]] void CheckSingle(const PendingAccess& access) {
    if (moved_.MayMeet(access.kind, access.first, access.size)) [[unlikely]]
      CompareWithMoved(access);
    if (IsAtomic(access.kind)) return CheckAtomic(access);
    if constexpr (requires { typename History::Single; }) {
      using Single = typename History::Single;
      if (execution_.locks == kNoLocks) {
        Context context{*this, nullptr};
        const Single single = IsWrite(access.kind)
                                  ? history_.template AccessSingle<AccessKind::kWrite>(
                                        access.first, access.size, context)
                                  : history_.template AccessSingle<AccessKind::kRead>(
                                        access.first, access.size, context);
        if (single == Single::kKnown) return;
        if (single == Single::kDone) {
          return iterations_.Add(access.strand, access.kind,
                                 execution_.contexts.Intern(access.Site()), access.first,
                                 access.size);
        }
      }
    }
    CheckPlain(access);
  }
  [[gnu::noinline]] void CheckPlain(const PendingAccess& access) {
    const Where code = execution_.contexts.Intern(access.Site());
    if (execution_.locks == kNoLocks) {
      iterations_.Add(access.strand, access.kind, code, access.first, access.size);
    } else {
      log_.Notes(access.strand).Add(By(access.kind), code, {access.first, access.size});
    }
    Context context{*this, nullptr};
    history_.Access(access.kind, access.first, access.size, context);
    DeliverRaces();
  }
  [[gnu::noinline]] void CheckAtomic(const PendingAccess& access) {
    if constexpr (requires { typename History::Single; }) {
      Context context{*this, nullptr};
      if (history_.IsKnown(access.kind, access.first, access.size, context)) return;
    }
    AccessNow(access.kind, access.first, access.size, execution_.contexts.Intern(access.Site()));
  }
  // An atomic access is not one of the plain ones, and what is freed is not there at the end.
  void AccessNow(AccessKind kind, uintptr_t first, size_t size, Where code) {
    if (IsAtomic(kind) || !ForgetOrdered(first, size)) FlushBytes(first, size);
    const AccessLog::Found here{code, first, size, first + size, 0};
    log_.Notes(execution_.strand).Add(By(kind), here.code, {first, size});
    execution_.NoteTouched(first);
    Context context{*this, &here};
    history_.Access(kind, first, size, context);
  }
  template <AccessKind kKind, size_t kSize>
  [[gnu::noinline]] static void SizedSlow(uintptr_t first, uintptr_t pc) {
    if (!active_->IsOwn(first, kSize)) {
      active_->CollectOne<kKind>(first, kSize, pc, Operation::kPlain);
    }
  }
  // Requires: accesses are many.
  template <AccessKind kKind>
  [[gnu::always_inline]] void CollectOne(uintptr_t first, size_t size, uintptr_t pc,
                                         Operation operation) {
    execution_.NoteTouched(first);
    log_.template AddOneOfMany<kKind>(By(kKind), first, size, Here{*this, pc, operation},
                                      Tell{*this});
  }
  // Short ones that come again are common: a loop that was left early.
  template <AccessKind kKind>
  static void Ranged(const void* address, size_t size) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(address);
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    const Detector& detector = *active_;
    if (!detector.log_.IsFew() && detector.log_.template HasRange<kKind>(first, size)) return;
    RangedSlow<kKind>(first, size, pc, Operation::kPlain);
  }
  template <AccessKind kKind>
  [[gnu::noinline]] static void RangedSlow(uintptr_t first, size_t size, uintptr_t pc,
                                           Operation operation) {
    Detector& detector = *active_;
    if (detector.IsOwn(first, size)) return;
    if (detector.TakesSingles() && size != 0 && size <= PendingAccess::kMostBytes) {
      if (detector.known_.Has(kKind, first, size)) return;
      --detector.singles_left_;
      return detector.AccessSingle(kKind, first, size, pc, operation);
    }
    if (detector.log_.IsFew()) return detector.Collect(kKind, {first, size}, pc, operation);
    detector.CollectOne<kKind>(first, size, pc, operation);
  }
  template <AccessKind kKind>
  static void Rows(const void* address, size_t size, size_t rows, ptrdiff_t distance) {
    active_->Collect(kKind, {reinterpret_cast<uintptr_t>(address), size, rows, distance},
                     reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
  }
  template <AccessKind kKind>
  static void Parts(const void* address, size_t size, size_t rows, ptrdiff_t distance,
                    __taskrace_parts parts) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(address);
    const uintptr_t pc = reinterpret_cast<uintptr_t>(parts);
    if (rows != 1)
      return active_->Collect(kKind, {first, size, rows, distance}, pc, Operation::kParts);
    const Detector& detector = *active_;
    if (!detector.log_.IsFew() && detector.log_.template HasRange<kKind>(first, size)) return;
    RangedSlow<kKind>(first, size, pc, Operation::kParts);
  }
  template <AccessKind kKind>
  static void Atomic(const void* address, size_t size) {
    active_->Access(kKind, reinterpret_cast<uintptr_t>(address), size,
                    reinterpret_cast<uintptr_t>(__builtin_return_address(0)), Operation::kPlain);
  }

  // After an iteration with many accesses the next ones collect theirs; then one is tried again.
  [[gnu::noinline]] void DecideSingles() {
    if (singles_per_iteration_ != 0) {
      collecting_ = std::min(2 * collecting_ + 8, kMostCollecting);
      collecting_left_ = collecting_;
    }
    singles_per_iteration_ = collecting_left_ == 0 ? kMostSingles : 0;
    if (collecting_left_ > 0) --collecting_left_;
  }

  bool IsOnStack(const MovedAccess& moved) const {
    const uintptr_t first = moved.LowOfAll();
    return first >= execution_.stack_low && first + moved.ExtentOfAll() <= execution_.stack_high;
  }

  // Accesses of many iterations, which have not begun.
  template <AccessKind kKind>
  static void OfLoop(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                     __taskrace_parts parts, ptrdiff_t step, size_t k, size_t count) {
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    Detector& detector = *active_;
    if (size == 0 || rows == 0 || count == 0 || detector.is_alone_) return;
    detector.EndSingles();
    const Operation operation = parts == nullptr ? Operation::kPlain : Operation::kParts;
    const uintptr_t at = parts == nullptr ? pc : reinterpret_cast<uintptr_t>(parts);
    MovedAccess moved{
        kKind, kNowhere, reinterpret_cast<uintptr_t>(first), size, rows, distance, step, k, count};
    if (detector.moves_are_own_) [[unlikely]] {
      return moved.ForEachTouch(parts == nullptr, [&](const AccessLog::Touch& touch) {
        detector.Collect(kKind, touch, at, operation);
      });
    }
    // A variable of the thread that runs units: they may change it one after the other.
    if (step == 0 && detector.execution_.part->is_units && detector.IsOnStack(moved)) {
      moved.count = 1;
    }
    moved.code = detector.CodeAt(at, operation);
    detector.moved_.Add(moved);
  }
  template <AccessKind kKind>
  static void PossibleInLoop(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                             ptrdiff_t step, size_t k, size_t count) {
    if (size == 0 || rows == 0 || count == 0 || active_->moves_are_own_) return;
    active_->moved_.AddPossible({kKind, kNowhere, reinterpret_cast<uintptr_t>(first), size, rows,
                                 distance, step, k, count});
  }
  static __taskrace_zone ZoneOfLoop(unsigned staying) {
    const Detector& detector = *active_;
    MovedAccesses::Box zone = MovedAccesses::kEverywhere;
    if (detector.loop_is_alone_ && !detector.moves_are_own_) {
      zone = (staying & TASKRACE_ZONE_OF_POSSIBLE) != 0 ? detector.moved_.ZoneOfPossible(staying)
                                                        : detector.moved_.ZoneOfReads(staying);
    }
    return {zone.low, zone.end};
  }

  // The common case: the iteration before has left nothing to do.
  static bool Iteration(size_t k, uintptr_t stack_pointer) {
    Detector& detector = *active_;
    Execution& execution = detector.execution_;
    LoopPart& part = *execution.part;
    if (execution.stack_touched < stack_pointer || detector.singles_left_ == 0 ||
        !detector.log_.Empty() || execution.locks != kNoLocks) {
      return false;
    }
    if (!part.is_numbered) {
      const StrandId next = execution.loops.Next();
      if (part.is_task || Index(next) - static_cast<uint32_t>(k) != part.offset ||
          next == kLastStrand) {
        return false;
      }
      execution.loops.TakeNext();
    } else if (k == part.k) {
      return true;
    }
    detector.singles_left_ = detector.singles_per_iteration_;
    part.k = k;
    execution.strand = part.StrandOf(k);
    return true;
  }

  static constexpr AccessHooks kHooks = {
      .read = {Sized<AccessKind::kRead, 1>, Sized<AccessKind::kRead, 2>,
               Sized<AccessKind::kRead, 4>, Sized<AccessKind::kRead, 8>,
               Sized<AccessKind::kRead, 16>},
      .write = {Sized<AccessKind::kWrite, 1>, Sized<AccessKind::kWrite, 2>,
                Sized<AccessKind::kWrite, 4>, Sized<AccessKind::kWrite, 8>,
                Sized<AccessKind::kWrite, 16>},
      .read_range = Ranged<AccessKind::kRead>,
      .write_range = Ranged<AccessKind::kWrite>,
      .read_rows = Rows<AccessKind::kRead>,
      .write_rows = Rows<AccessKind::kWrite>,
      .read_parts = Parts<AccessKind::kRead>,
      .write_parts = Parts<AccessKind::kWrite>,
      .atomic_read = Atomic<AccessKind::kAtomicRead>,
      .atomic_write = Atomic<AccessKind::kAtomicWrite>,
      .loop_read = OfLoop<AccessKind::kRead>,
      .loop_write = OfLoop<AccessKind::kWrite>,
      .loop_may_read = PossibleInLoop<AccessKind::kRead>,
      .loop_may_write = PossibleInLoop<AccessKind::kWrite>,
      .loop_zone = ZoneOfLoop,
      .iteration = Iteration,
  };

  // What the engine said of a strand u during the strand `now`.
  struct Answer {
    StrandId u;
    StrandId now;
    bool precedes;
  };
  static constexpr size_t kAnswers = 1024;
  struct FoundRace {
    Race race;
    Where earlier;
    Where later;
    uint32_t order;
  };
  static constexpr size_t kMostFound = 64;
  // An iteration with more accesses than this collects the others.
  static constexpr uint32_t kMostSingles = 64;
  static constexpr uint32_t kMostCollecting = 1024;
  static constexpr size_t kSmallLog = size_t{64} << 20;
  static constexpr size_t kLineBytes = 64;
  static constexpr StrandId kNoneCompared{UINT32_MAX};

  static inline constinit Detector* active_ = nullptr;

  Engine engine_;
  History history_;
  History iterations_history_;  // CompareMoved; empty otherwise
  StrandLog<kMostFew> log_;
  IterationLog iterations_;
  PendingAccesses pending_;
  SiblingAccesses known_;
  MovedAccesses moved_;
  // Where loops made the accesses that were moved out of them. By their own strands, which are older than those that
  // the creator may have had meanwhile.
  AccessLog loop_notes_;
  // Iterations from this one on have been compared with what is checked now.
  StrandId compared_from_ = kNoneCompared;
  TableCollection collection_;
  bool is_iteration_ = false;  // one runs, and is no task
  uint32_t singles_left_ = 0;  // so many accesses of the running iteration are not collected
  uint32_t singles_per_iteration_ = 0;  // 0: those at hand have many accesses
  uint32_t collecting_ = 0;  // so many iterations were taken to have many accesses, last time
  uint32_t collecting_left_ = 0;
  // The stack memory of the running iteration, if it is no task.
  uintptr_t own_low_ = 0;
  size_t own_bytes_ = 0;
  bool is_alone_ = true;        // nothing is parallel to what runs, nor will be
  bool moves_are_own_ = false;  // what is moved out of iterations is of the running strand
  bool loop_is_alone_ = false;  // nothing but a loop's iterations is parallel to them, nor will be
  Answer answers_[kAnswers] = {};
  FoundRace found_races_[kMostFound] = {};
  size_t found_ = 0;
  uint64_t queries_ = 0;
  uint64_t whole_loop_rows_ = 0;
};

}  // namespace taskrace

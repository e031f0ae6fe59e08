// Detector<Engine, History>: an engine and a history put together. Plain accesses of a strand are
// collected, with where they were (strand_log.h), and told to the history when the strand ends, or when
// their memory or the locks held change. Everything on the way from an access hook to a look at a bit is
// inlined here.
//
// As long as the root is alone, with no task that somebody has to join, its accesses are not even
// collected: all that ran precedes them, and they precede all that comes.
#pragma once

#include <algorithm>

#include "detect/detection.h"
#include "detect/history/access_history.h"
#include "detect/race_places.h"
#include "detect/reach/reachability.h"
#include "detect/strand_log.h"

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
    return engine_.OnCreate(task, child, how, group, strand);
  }
  OutsideClass OnEnd(TaskId task) override {
    Flush();
    return engine_.OnEnd(task);
  }
  void OnProceed(TaskId task, StrandId strand) override { engine_.OnProceed(task, strand); }
  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) override {
    Flush();
    return engine_.OnOpen(task, finish, strand);
  }
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) override {
    Flush();
    const OutsideClass outside = engine_.OnJoin(task, group, how, singles, strand);
    ForgetIfSettled(strand);
    return outside;
  }
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) override {
    Flush();
    const OutsideClass outside = engine_.OnGet(task, child, how, strand);
    ForgetIfSettled(strand);
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
  bool Precedes(StrandId strand) override { return engine_.Precedes(strand); }

  void Access(AccessKind kind, uintptr_t first, size_t size, uintptr_t pc,
              Operation operation) override {
    if (is_alone_) return;
    if (!IsAtomic(kind) && operation == Operation::kPlain) {
      return Collect(kind, {first, size}, pc);
    }
    // An atomic access is not one of the plain ones, and what is freed is not there at the end.
    if (IsAtomic(kind) || !ForgetOrdered(first, size)) FlushBytes(first, size);
    const AccessLog::Found here{CodeAt(pc, operation), first, size, first + size, 0};
    log_.Notes().Add(By(kind), here.code, {first, size});
    execution_.NoteTouched(first);
    Context context{*this, &here};
    history_.Access(kind, first, size, context);
  }
  void Retire(uintptr_t first, size_t size, uintptr_t pc, Operation operation) override {
    if (!ForgetOrdered(first, size)) {
      FlushBytes(first, size);
      const AccessLog::Found here{CodeAt(pc, operation), first, size, first + size, 0};
      Context context{*this, &here};
      history_.Retire(first, size, context);
      log_.Notes().Forget(execution_.strand, first, size);
    }
    // Nothing that is known of the stack lies below its end any more.
    if (execution_.stack_touched == first) execution_.stack_touched = first + size;
  }
  void Clear(uintptr_t first, size_t size) override {
    if (log_.Empty() || !ForgetOrdered(first, size)) {
      FlushBytes(first, size);
      history_.Clear(first, size);
      log_.Notes().Forget(execution_.strand, first, size);
    }
  }
  void Flush() override {
    log_.Flush(Tell{*this});
    DeliverRaces();
    if (log_.Notes().WantsCollection(kSmallLog)) [[unlikely]]
      CollectNotes();
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
    Statistics statistics{.tasks = execution_.tasks.Size() == 0 ? 0 : execution_.tasks.Size() - 1,
                          .queries = queries_,
                          .engine_bytes = engine_.BytesUsed(),
                          .history_bytes = history_.BytesUsed() + log_.Notes().BytesUsed(),
                          .context_bytes = execution_.contexts.BytesUsed(),
                          .task_bytes = execution_.tasks.BytesUsed()};
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
      return detector.engine_.ReaderClass(u);
    }
    // Neighbouring bytes were touched by the same few strands.
    [[gnu::always_inline]] bool Precedes(StrandId u) {
      if constexpr (requires { detector.engine_.IsSettled(u); }) {
        if (detector.engine_.IsSettled(u)) return true;
      }
      Answer& answer = detector.answers_[Index(u) % kAnswers];
      if (answer.u != u || answer.now != Strand()) {
        ++detector.queries_;
        answer = {u, Strand(), detector.engine_.Precedes(u)};
      }
      return answer.precedes;
    }
  };
  static_assert(AccessContext<Context>);

  // Hands what was collected to the history.
  struct Tell {
    Detector& detector;
    void operator()(AccessKind kind, uintptr_t first, size_t size) const {
      Context context{detector, nullptr};
      detector.history_.Access(kind, first, size, context);
    }
    // The accesses to a line of 64 bytes, by their bits; returns those that are still to be told.
    uint64_t TakeLine(uint64_t touched, uint64_t written, uintptr_t line) const
      requires requires(History history, Context c) {
        history.AccessLine(touched, written, line, c);
      }
    {
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

  // Notes that are few beside the history may stay as they are.
  [[gnu::noinline]] void CollectNotes() {
    const size_t others = std::max(kSmallLog, history_.BytesUsed());
    if (!log_.Notes().WantsCollection(others)) return;
    log_.Notes().Collect(
        others, [this](auto mark) { history_.ForEachStrand(mark); },
        [this](StrandId strand, uintptr_t first, size_t size) {
          return history_.MayRemember(strand, first, size);
        });
  }

  // Whoever precedes all that comes will not be asked for.
  void ForgetIfSettled(StrandId next) {
    if constexpr (requires { engine_.AllIsSettled(next); }) {
      if (!engine_.AllIsSettled(next)) return;
      is_alone_ = true;
      log_.Notes().Drop();
      execution_.tasks.Forget();
    }
  }

  // Plain accesses wait for the strand's end.
  void Collect(AccessKind kind, const AccessLog::Touch& touch, uintptr_t pc,
               Operation operation = Operation::kPlain) {
    if (touch.size == 0 || touch.count == 0 || is_alone_) return;
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
    return true;
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

  // Puts both places to a race, which may be several: one for each pair of accesses.
  [[gnu::noinline, gnu::cold]] void Report(const Race& race, const AccessLog::Found* here) {
    ForEachPairOfAccesses(
        race.first, race.first + race.size,
        [&](uintptr_t byte) { return PartWith(byte, log_.Notes().Find(race.earlier, byte)); },
        [&](uintptr_t byte) {
          return here == nullptr ? PartWith(byte, log_.Notes().Find(race.later, byte)) : *here;
        },
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
      execution_.sink->OnRace(race, {engine_.TaskOf(race.earlier.strand), earlier},
                              {engine_.TaskOf(race.later.strand), later});
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
    if (detector.is_alone_) return;
    detector.execution_.NoteTouched(first);
    detector.log_.template AddOneOfFew<kKind>(detector.By(kKind), first, kSize, Here{detector, pc},
                                              Tell{detector});
  }
  template <AccessKind kKind, size_t kSize>
  [[gnu::noinline]] static void SizedSlow(uintptr_t first, uintptr_t pc) {
    active_->CollectOne<kKind>(first, kSize, pc, Operation::kPlain);
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
  static constexpr size_t kSmallLog = size_t{64} << 20;

  static inline constinit Detector* active_ = nullptr;

  Engine engine_;
  History history_;
  StrandLog<kMostFew> log_;
  bool is_alone_ = true;  // nothing is parallel to what runs, nor will be
  Answer answers_[kAnswers] = {};
  FoundRace found_races_[kMostFound] = {};
  size_t found_ = 0;
  uint64_t queries_ = 0;
};

}  // namespace taskrace

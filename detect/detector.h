// Detector<Engine, History>: an engine and a history put together. Plain accesses of a strand are
// collected (coalescer.h), with where they were (access_log.h), and told to the history when the
// strand ends, or when their memory or the locks held change. Everything on the way from an access
// hook to the coalescer's fast path is inlined here.
//
// As long as the root is alone, with no task that somebody has to join, its accesses are not even
// collected: all that ran precedes them, and they precede all that comes.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "detect/access_log.h"
#include "detect/detection.h"
#include "detect/few_accesses.h"
#include "detect/history/access_history.h"
#include "detect/history/coalescer.h"
#include "detect/race_places.h"
#include "detect/reach/reachability.h"

namespace taskrace {

// kMostFew: a strand with fewer accesses than this does without the coalescer.
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
    if (IsAtomic(kind) || !ForgetOrdered(first, size)) {
      if (!few_accesses_.Empty()) TellFew();
      FlushBytes(first, size);
    }
    const AccessLog::Found here{CodeAt(pc, operation), first, size, first + size, 0};
    Note(kind, {first, size}, here.code);
    Context context{*this, &here};
    history_.Access(kind, first, size, context);
  }
  void Retire(uintptr_t first, size_t size, uintptr_t pc, Operation operation) override {
    if (!ForgetOrdered(first, size)) {
      FlushBytes(first, size);
      const AccessLog::Found here{CodeAt(pc, operation), first, size, first + size, 0};
      Context context{*this, &here};
      history_.Retire(first, size, context);
    }
    log_.Forget(execution_.strand, first, size);
    // Nothing that is known of the stack lies below its end any more.
    if (execution_.stack_touched == first) execution_.stack_touched = first + size;
  }
  void Clear(uintptr_t first, size_t size) override {
    if (IsEmpty() || !ForgetOrdered(first, size)) {
      FlushBytes(first, size);
      history_.Clear(first, size);
    }
    log_.Forget(execution_.strand, first, size);
  }
  void Flush() override {
    Context context{*this, nullptr};
    if (!few_accesses_.Empty()) TellFew();
    if (!coalescer_.Empty()) coalescer_.Flush(Tell{context});
    if (few_ != 0) EndCollection();
    told_at_once_ = 0;
    DeliverRaces();
    if (log_.WantsCollection(kSmallLog)) [[unlikely]]
      CollectLog();
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
                          .history_bytes = history_.BytesUsed() + log_.BytesUsed(),
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

  // Hands runs of the coalescer to the history.
  struct Tell {
    Context& context;
    void operator()(AccessKind kind, uintptr_t first, size_t size) const {
      context.detector.history_.Access(kind, first, size, context);
    }
    // The accesses to a line of 64 bytes, by their bits; returns those that are still to be told.
    uint64_t TakeLine(uint64_t touched, uint64_t written, uintptr_t line) const
      requires requires(History history) { history.AccessLine(touched, written, line, context); }
    {
      return context.detector.history_.AccessLine(touched, written, line, context);
    }
  };

  // The code at hand. How many bytes it touches, the log knows.
  [[gnu::always_inline]] Where CodeAt(uintptr_t pc, Operation operation) {
    return execution_.contexts.Intern(__taskrace_top, pc, 0, operation);
  }
  void Note(AccessKind kind, const AccessLog::Touch& touch, Where code) {
    log_.Add({execution_.strand, kind, execution_.locks}, code, touch);
    execution_.NoteTouched(LowEnd(touch));
  }

  // A log that is small beside the history may stay as it is.
  [[gnu::noinline]] void CollectLog() {
    const size_t others = std::max(kSmallLog, history_.BytesUsed());
    if (!log_.WantsCollection(others)) return;
    log_.Collect(
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
      log_.Drop();
      execution_.tasks.Forget();
    }
  }

  // One that is not collected yet, of a strand with many. Requires: !IsFew().
  template <AccessKind kKind>
  [[gnu::always_inline]] void CollectSmall(uintptr_t first, size_t size, uintptr_t pc,
                                           Operation operation) {
    if (!coalescer_.AddSmall<kKind>(first, size)) {
      return CollectAnyhow(kKind, {first, size}, pc, operation);
    }
    execution_.NoteTouched(first);
    const AccessLog::Caller caller{pc, __taskrace_top->context};
    if (log_.AddKnown({execution_.strand, kKind, execution_.locks}, caller, first, size)) [[likely]]
      return;
    NoteNew(kKind, first, size, pc, operation);
  }
  [[gnu::noinline]] void CollectAnyhow(AccessKind kind, AccessLog::Touch touch, uintptr_t pc,
                                       Operation operation) {
    Collect(kind, touch, pc, operation);
  }
  [[gnu::noinline]] void NoteNew(AccessKind kind, uintptr_t first, size_t size, uintptr_t pc,
                                 Operation operation) {
    const Where code = CodeAt(pc, operation);
    log_.Add({execution_.strand, kind, execution_.locks}, {pc, __taskrace_top->context}, code,
             first, size);
  }

  // Plain accesses wait for the strand's end. The first few of a strand wait in a list; a strand with
  // more of them collects bits, from its first access on if the last one that began there had many.
  bool IsFew() const { return few_ < kMostFew; }
  // Whether it may go on with few. Requires: IsFew().
  [[gnu::always_inline]] bool GoesOnWithFew(uintptr_t pc) {
    return few_ != 0 || BeginCollection(pc);
  }
  bool BeginCollection(uintptr_t pc) {
    begun_at_ = &had_many_[pc % kBeginnings];
    touches_before_ = log_.Touches();
    if (!*begun_at_) return true;
    few_ = kMostFew;
    return false;
  }
  void EndCollection() {
    *begun_at_ = log_.Touches() - touches_before_ >= kFarMore;
    few_ = 0;
  }
  [[gnu::always_inline]] void CollectFew(AccessKind kind, const AccessLog::Touch& touch,
                                         uintptr_t pc, Operation operation = Operation::kPlain) {
    log_.AddAlone({execution_.strand, kind, execution_.locks}, CodeAt(pc, operation), touch);
    few_accesses_.Add(kind, touch.InOnePiece());
    execution_.NoteTouched(LowEnd(touch));
    if (++few_ == kMostFew) [[unlikely]]
      BeManyInstead();
  }
  [[gnu::noinline]] void BeManyInstead() {
    Context context{*this, nullptr};
    few_accesses_.ForEach([&](AccessKind kind, const AccessLog::Touch& touch) {
      AddBits(kind, touch, [] {}, context);
    });
    few_accesses_.Clear();
    few_ = kMostFew;
  }
  [[gnu::noinline]] void TellFew() {
    Context context{*this, nullptr};
    few_accesses_.Flush(Tell{context});
    DeliverRaces();
  }
  static uintptr_t LowEnd(const AccessLog::Touch& touch) {
    if (touch.stride >= 0) return touch.first;
    return touch.first + (touch.count - 1) * static_cast<uintptr_t>(touch.stride);
  }

  void Collect(AccessKind kind, const AccessLog::Touch& touch, uintptr_t pc,
               Operation operation = Operation::kPlain) {
    if (touch.size == 0 || touch.count == 0 || is_alone_) return;
    // Many small pieces may well be one run, with those of other hooks.
    const bool is_apart = static_cast<size_t>(std::abs(touch.stride)) >= kFarApart;
    if (IsFew() && GoesOnWithFew(pc)) {
      if (touch.count == 1 || touch.InOnePiece().size >= kLargePiece || is_apart) {
        return CollectFew(kind, touch, pc, operation);
      }
      BeManyInstead();
    }
    Context context{*this, nullptr};
    // Rows that lie apart gain nothing by bits, unless they come again and again.
    if (is_apart && told_at_once_ < kMostToldAtOnce) {
      ++told_at_once_;
      Note(kind, touch, CodeAt(pc, operation));
      touch.ForEachRow([&](uintptr_t row) { history_.Access(kind, row, touch.size, context); });
      return;
    }
    AddBits(kind, touch.InOnePiece(), [&] { Note(kind, touch, CodeAt(pc, operation)); }, context);
  }
  template <class FirstTouch>
  [[gnu::always_inline]] void AddBits(AccessKind kind, const AccessLog::Touch& touch,
                                      FirstTouch first_touch, Context& context) {
    coalescer_.Add({kind, touch.first, touch.size, touch.count, touch.stride}, first_touch,
                   Tell{context});
  }
  // Does nothing wait?
  bool IsEmpty() const { return few_accesses_.Empty() && coalescer_.Empty(); }
  // The bytes are gone. If all that is remembered of them precedes, whatever the strand did to them
  // races with nothing, and is forgotten with the rest. Else false, and nothing is done.
  bool ForgetOrdered(uintptr_t first, size_t size) {
    const bool is_waiting = few_accesses_.Touches(first, size);
    if (is_waiting && !few_accesses_.CanForget(first, size)) return false;
    Context context{*this, nullptr};
    if (!history_.ClearIfOrdered(first, size, context)) return false;
    if (is_waiting) few_accesses_.Forget(first, size);
    if (!coalescer_.Empty()) {
      coalescer_.Flush(first, size, [](AccessKind, uintptr_t, size_t) {});
    }
    return true;
  }
  // What the strand has done to these bytes is told now: others will use them, or nobody.
  void FlushBytes(uintptr_t first, size_t size) {
    if (few_accesses_.Touches(first, size)) TellFew();
    if (coalescer_.Empty()) return;
    Context context{*this, nullptr};
    coalescer_.Flush(first, size, Tell{context});
    if (found_ == 0) [[likely]]
      return;
    // Whatever the strand did before it comes first in the report, too.
    coalescer_.Flush(Tell{context});
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
        [&](uintptr_t byte) { return PartWith(byte, log_.Find(race.earlier, byte)); },
        [&](uintptr_t byte) {
          return here == nullptr ? PartWith(byte, log_.Find(race.later, byte)) : *here;
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
    if (detector.IsFew()) return SizedFew<kKind, kSize>(first, pc);
    if (detector.coalescer_.template Has<kKind, kSize>(first)) [[likely]]
      return;
    SizedSlow<kKind, kSize>(first, pc);
  }
  // Not inlined: the fast path would save registers for it.
  template <AccessKind kKind, size_t kSize>
  [[gnu::noinline]] static void SizedFew(uintptr_t first, uintptr_t pc) {
    Detector& detector = *active_;
    if (detector.is_alone_) return;
    if (!detector.GoesOnWithFew(pc)) return SizedSlow<kKind, kSize>(first, pc);
    detector.CollectFew(kKind, {first, kSize}, pc);
  }
  template <AccessKind kKind, size_t kSize>
  [[gnu::noinline]] static void SizedSlow(uintptr_t first, uintptr_t pc) {
    active_->CollectSmall<kKind>(first, kSize, pc, Operation::kPlain);
  }
  // Short ones that come again are common: a loop that was left early.
  template <AccessKind kKind>
  static void Ranged(const void* address, size_t size) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(address);
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    const Detector& detector = *active_;
    if (!detector.IsFew() && detector.coalescer_.template HasRange<kKind>(first, size)) return;
    RangedSlow<kKind>(first, size, pc, Operation::kPlain);
  }
  template <AccessKind kKind>
  [[gnu::noinline]] static void RangedSlow(uintptr_t first, size_t size, uintptr_t pc,
                                           Operation operation) {
    Detector& detector = *active_;
    if (detector.IsFew()) return detector.Collect(kKind, {first, size}, pc, operation);
    detector.CollectSmall<kKind>(first, size, pc, operation);
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
    if (!detector.IsFew() && detector.coalescer_.template HasRange<kKind>(first, size)) return;
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
  static constexpr size_t kLargePiece = 64;
  static constexpr size_t kFarApart = 256;
  static constexpr size_t kMostToldAtOnce = 64;
  static constexpr size_t kSmallLog = size_t{64} << 20;
  // A little more than few may be few the next time, and is then much cheaper.
  static constexpr size_t kFarMore = 2 * kMostFew;
  static constexpr size_t kBeginnings = 1024;

  static inline constinit Detector* active_ = nullptr;

  Engine engine_;
  History history_;
  Coalescer coalescer_;
  AccessLog log_;
  bool is_alone_ = true;             // nothing is parallel to what runs, nor will be
  size_t few_ = 0;                   // accesses of the strand, while they are few
  size_t told_at_once_ = 0;          // how often the strand did not wait
  bool had_many_[kBeginnings] = {};  // by the code of a strand's first access
  bool* begun_at_ = &had_many_[0];   // of the strand
  uint64_t touches_before_ = 0;
  FewAccesses<kMostFew> few_accesses_;
  Answer answers_[kAnswers] = {};
  FoundRace found_races_[kMostFound] = {};
  size_t found_ = 0;
  uint64_t queries_ = 0;
};

}  // namespace taskrace

// Detector<Engine, History>: an engine and a history put together. Everything on the way from an
// access hook to the history's fast path is inlined here.
#pragma once

#include <bit>

#include "detect/detection.h"
#include "detect/history/access_history.h"
#include "detect/reach/reachability.h"

namespace taskrace {

template <Reachability Engine, AccessHistory History>
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
    return engine_.OnJoin(task, group, how, singles, strand);
  }
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) override {
    Flush();
    return engine_.OnGet(task, child, how, strand);
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
  bool Precedes(StrandId strand) override { return engine_.Precedes(strand); }

  void Access(AccessKind kind, uintptr_t first, size_t size, uintptr_t pc,
              Operation operation) override {
    Context context{*this, first, size, pc, operation};
    history_.Access(kind, first, size, context);
  }
  void Retire(uintptr_t first, size_t size, uintptr_t pc, Operation operation) override {
    Context context{*this, first, size, pc, operation};
    history_.Retire(first, size, context);
    // Nothing that is known of the stack lies below its end any more.
    if (execution_.stack_touched == first) execution_.stack_touched = first + size;
  }
  void Clear(uintptr_t first, size_t size) override { history_.Clear(first, size); }
  void Flush() override {
    Context context{*this, 0, 0, 0, Operation::kPlain};
    history_.OnStrandEnd(context);
  }

  const AccessHooks& Hooks() const override { return kHooks; }
  TaskId TaskOf(StrandId strand) const override { return engine_.TaskOf(strand); }
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
  size_t EngineBytes() const override { return engine_.BytesUsed(); }
  size_t HistoryBytes() const override { return history_.BytesUsed(); }
  uint64_t Queries() const override { return queries_; }

 private:
  // What the history may ask about the access at hand (access_history.h).
  struct Context {
    static constexpr bool kOneReader = Engine::kOneReader;

    Detector& detector;
    uintptr_t first;
    size_t size;
    uintptr_t pc;
    Operation operation;

    StrandId Strand() { return detector.execution_.strand; }
    LockSet Locks() { return detector.execution_.locks; }
    bool Disjoint(LockSet a, LockSet b) { return detector.execution_.lock_sets.Disjoint(a, b); }
    bool Subset(LockSet a, LockSet b) { return detector.execution_.lock_sets.Subset(a, b); }
    bool ReportsLockOrder() { return detector.execution_.reports_lock_order; }
    void OnRace(const Race& race) { detector.execution_.sink->OnRace(race); }
    uint64_t ReaderClass(StrandId u)
      requires(!Engine::kOneReader)
    {
      return detector.engine_.ReaderClass(u);
    }
    // Neighbouring bytes were touched by the same few strands.
    [[gnu::always_inline]] bool Precedes(StrandId u) {
      Answer& answer = detector.answers_[Index(u) % kAnswers];
      if (answer.u != u || answer.now != Strand()) {
        ++detector.queries_;
        answer = {u, Strand(), detector.engine_.Precedes(u)};
      }
      return answer.precedes;
    }
    [[gnu::always_inline]] Where GetWhere() {
      Execution& e = detector.execution_;
      if (first < e.stack_touched && first >= e.stack_low && first < e.stack_high) {
        e.stack_touched = first;
      }
      return e.contexts.Intern(__taskrace_top, pc, size, operation);
    }
  };
  static_assert(AccessContext<Context>);

  // The hooks proper. They are jumped to, so their return address is the instrumented access.
  template <AccessKind kKind, size_t kSize>
  static void Sized(const void* address) {
    const Detector& detector = *active_;
    const uintptr_t first = reinterpret_cast<uintptr_t>(address);
    if (detector.history_.IsKnown(kKind, first, kSize, detector.execution_.strand)) [[likely]]
      return;
    SizedSlow<kKind, kSize>(first, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
  }
  template <AccessKind kKind, size_t kSize>
  [[gnu::noinline]] static void SizedSlow(uintptr_t first, uintptr_t pc) {
    Context context{*active_, first, kSize, pc, Operation::kPlain};
    active_->history_.Access(kKind, first, kSize, context);
  }
  template <AccessKind kKind>
  static void Ranged(const void* address, size_t size) {
    Detector& detector = *active_;
    const uintptr_t first = reinterpret_cast<uintptr_t>(address);
    if (detector.history_.IsKnown(kKind, first, size, detector.execution_.strand)) return;
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    Context context{detector, first, size, pc, Operation::kPlain};
    detector.history_.Access(kKind, first, size, context);
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
      .atomic_read = Ranged<AccessKind::kAtomicRead>,
      .atomic_write = Ranged<AccessKind::kAtomicWrite>,
  };

  // What the engine said of a strand u during the strand `now`.
  struct Answer {
    StrandId u;
    StrandId now;
    bool precedes;
  };
  static constexpr size_t kAnswers = 64;

  static inline constinit Detector* active_ = nullptr;

  Engine engine_;
  History history_;
  Answer answers_[kAnswers] = {};
  uint64_t queries_ = 0;
};

}  // namespace taskrace

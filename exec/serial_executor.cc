#include "exec/serial_executor.h"

namespace taskrace {
namespace {

// A task begins on a fresh stack if less than this is left: enough for calls of ordinary functions.
constexpr size_t kLeastStack = size_t{256} << 10;

uintptr_t StackPointer() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }

Where StoredWhere(const __taskrace_group* group) {
  return Where{static_cast<uint32_t>(reinterpret_cast<uintptr_t>(group->made_at))};
}

void StoreWhere(__taskrace_group* group, Where where) {
  group->made_at = reinterpret_cast<const void*>(static_cast<uintptr_t>(where));
}

}  // namespace

StrandId SerialExecutor::NextStrand() {
  if (next_strand_ > Index(kLastStrand)) [[unlikely]] {
    complaints_.Fail("more than 2^32 strands: run a smaller input", {nullptr, kNowhere},
                     {nullptr, kNowhere});
  }
  return StrandId{next_strand_++};
}

Where SerialExecutor::Here(uintptr_t pc) {
  return execution_.contexts.Intern(__taskrace_top, pc, 0, Operation::kPlain);
}

void SerialExecutor::Enter(TaskId task, StrandId strand) {
  execution_.task = task;
  execution_.strand = strand;
}

void SerialExecutor::Check(OutsideClass reason, uintptr_t pc) {
  if (reason != nullptr) [[unlikely]] {
    complaints_.Fail(reason, {"here", Here(pc)}, {nullptr, kNowhere});
  }
}

void SerialExecutor::CheckScope(const __taskrace_group* scope, uintptr_t pc) {
  const char* problem = nullptr;
  if (scope->id == 0) {
    problem = "a scope is used outside its lifetime";
  } else if (TaskId{scope->task} != execution_.task) {
    problem = "a scope is used by a task that did not make it";
  } else if (GroupId{scope->finish} != finish_) {
    problem = "a scope is used inside another finish than the one it was made in";
  }
  if (problem != nullptr) [[unlikely]] {
    complaints_.Fail(problem, {"used here", Here(pc)}, {"made here", StoredWhere(scope)});
  }
}

void SerialExecutor::Start(StrandId first) {
  first_strand_ = next_strand_ = Index(first);
  const TaskId root = execution_.tasks.Add(kRootTask, kNowhere);
  const StrandId strand = NextStrand();
  detection_.OnStart(root, finish_, strand);
  Enter(root, strand);
}

void SerialExecutor::JoinAll() {
  if (execution_.task != kRootTask || finish_ != GroupId{1}) return;
  const StrandId strand = NextStrand();
  if (detection_.OnJoin(kRootTask, finish_, How::kFinish, strand) == nullptr) {
    Enter(kRootTask, strand);
  }
}

void SerialExecutor::Create(How how, __taskrace_group* group, void (*body)(void*), void* closure,
                            uintptr_t pc) {
  if (how == How::kSpawn) {
    CheckScope(group, pc);
    ++group->unjoined;
  }
  const GroupId joined_by = how == How::kSpawn ? GroupId{group->id} : finish_;
  const TaskId creator = execution_.task;
  const LockSet creators_locks = execution_.locks;
  const GroupId creators_finish = finish_;

  const TaskId child = execution_.tasks.Add(creator, Here(pc));
  const StrandId first = NextStrand();
  Check(detection_.OnCreate(creator, child, how, joined_by, first), pc);
  Enter(child, first);
  execution_.locks = kNoLocks;
  const TaskStorage::Mark storage{storage_.Now().chunk, reinterpret_cast<uintptr_t>(closure)};
  Run({body, closure});

  Check(detection_.OnEnd(child), pc);
  storage_.Release(storage, [&](uintptr_t at, size_t size) { detection_.Clear(at, size); });
  execution_.locks = creators_locks;
  finish_ = creators_finish;
  const StrandId next = NextStrand();
  detection_.OnProceed(creator, next);
  Enter(creator, next);
}

void SerialExecutor::Run(const Body& body) {
  const uintptr_t here = StackPointer();
  if (here - execution_.stack_low < kLeastStack && here >= execution_.stack_low) [[unlikely]] {
    return RunOnFreshStack(body);
  }
  __taskrace_frame* const callers = __taskrace_top;
  __taskrace_top = callers + 1;
  Contexts::InitBase(__taskrace_top);
  body.run(body.closure);
  __taskrace_top = callers;
  if (execution_.stack_touched < here) {
    detection_.Clear(execution_.stack_touched, here - execution_.stack_touched);
    execution_.stack_touched = here;
  }
}

void SerialExecutor::RunOnFreshStack(const Body& body) {
  Stacks::Stack* stack = stacks_.Acquire();
  const uintptr_t low = execution_.stack_low, high = execution_.stack_high;
  const uintptr_t touched = execution_.stack_touched;
  __taskrace_frame* const callers = __taskrace_top;
  execution_.stack_low = stack->low;
  execution_.stack_high = execution_.stack_touched = stack->high;
  __taskrace_top = stack->frames;
  struct Call {
    SerialExecutor* self;
    const Body* body;
  } call{this, &body};
  Stacks::Call(
      stack,
      [](void* argument) {
        static_cast<Call*>(argument)->self->Run(*static_cast<Call*>(argument)->body);
      },
      &call);
  __taskrace_top = callers;
  detection_.Clear(execution_.stack_touched, stack->high - execution_.stack_touched);
  execution_.stack_low = low;
  execution_.stack_high = high;
  execution_.stack_touched = touched;
  stacks_.Release(stack);
}

void SerialExecutor::ScopeBegin(__taskrace_group* scope, uintptr_t pc) {
  scope->id = next_group_++;
  scope->task = Index(execution_.task);
  scope->finish = Index(finish_);
  scope->unjoined = 0;
  StoreWhere(scope, Here(pc));
}

void SerialExecutor::ScopeSync(__taskrace_group* scope, uintptr_t pc) {
  CheckScope(scope, pc);
  if (scope->unjoined == 0) return;
  scope->unjoined = 0;
  const StrandId next = NextStrand();
  Check(detection_.OnJoin(execution_.task, GroupId{scope->id}, How::kSync, next), pc);
  execution_.strand = next;
}

void SerialExecutor::FinishBegin(__taskrace_group* finish, uintptr_t pc) {
  finish->id = next_group_++;
  finish->task = Index(execution_.task);
  finish->finish = Index(finish_);
  StoreWhere(finish, Here(pc));
  finish_ = GroupId{finish->id};
  const StrandId next = NextStrand();
  detection_.OnOpen(execution_.task, finish_, next);
  execution_.strand = next;
}

void SerialExecutor::FinishEnd(__taskrace_group* finish, uintptr_t pc) {
  const StrandId next = NextStrand();
  Check(detection_.OnJoin(execution_.task, GroupId{finish->id}, How::kFinish, next), pc);
  finish_ = GroupId{finish->finish};
  execution_.strand = next;
}

}  // namespace taskrace

#include "exec/fibers.h"

#include <dlfcn.h>
#include <string.h>

#include <boost/context/detail/fcontext.hpp>
#include <new>

namespace taskrace {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

struct Beginning {
  Fiber* from;
  void (*body)(void*);
  void* argument;
};

// A switch hands over the fiber that was left, so that it learns where.
void Left(transfer_t from) { static_cast<Fiber*>(from.data)->context = from.fctx; }

// The first function on a fresh stack.
void Entry(transfer_t from) {
  const Beginning beginning = *static_cast<Beginning*>(from.data);
  beginning.from->context = from.fctx;
  beginning.body(beginning.argument);
}

}  // namespace

void Fibers::Start() {
  auto* const globals = reinterpret_cast<void** (*)()>(dlsym(RTLD_DEFAULT, "__cxa_get_globals"));
  if (globals != nullptr) exceptions_ = globals();
  root_.home = this;
  running_ = &root_;
}

void Fibers::Save(Fiber* fiber) {
  fiber->running = execution_;
  fiber->bounds = execution_;
  fiber->top = __taskrace_top;
  if (exceptions_ != nullptr) memcpy(fiber->exceptions, exceptions_, sizeof(fiber->exceptions));
}

void Fibers::Restore(const Fiber& fiber) {
  static_cast<RunningTask&>(execution_) = fiber.running;
  static_cast<RunningStack&>(execution_) = fiber.bounds;
  __taskrace_top = fiber.top;
  if (exceptions_ != nullptr) memcpy(exceptions_, fiber.exceptions, sizeof(fiber.exceptions));
}

void Fibers::SwitchTo(Fiber* fiber) {
  Fiber* const left = running_;
  running_ = fiber;
  Left(jump_fcontext(fiber->context, left));
}

void Fibers::Suspend(Fiber* fiber) {
  fiber->next = suspended_;
  suspended_ = fiber;
}

void Fibers::Suspend(FiberQueue resumed) {
  if (resumed.first == nullptr) return;
  for (Fiber* fiber = resumed.first; fiber != nullptr; fiber = fiber->next) RemoveBlocked(fiber);
  resumed.last->next = suspended_;
  suspended_ = resumed.first;
}

Fiber* Fibers::LastSuspended() {
  Fiber* fiber = suspended_;
  if (fiber != nullptr) suspended_ = fiber->next;
  return fiber;
}

Fiber* Fibers::NextToRun() {
  Fiber* next = LastSuspended();
  while (next == nullptr && await_ != nullptr && await_(*this, argument_)) next = LastSuspended();
  return next;
}

void Fibers::Hand(Fiber* fiber) {
  RemoveBlocked(fiber);
  Suspend(fiber);
}

void Fibers::Run(void (*body)(void*), void* argument) {
  Stacks::Stack* stack = stacks_.Acquire();
  const uintptr_t high = (stack->high - sizeof(Fiber)) & ~uintptr_t{63};
  Fiber* fiber = new (reinterpret_cast<void*>(high)) Fiber;
  fiber->stack = stack;
  fiber->home = this;
  Fiber* const caller = running_;
  Save(caller);
  Suspend(caller);

  execution_.stack_low = stack->low;
  execution_.stack_high = execution_.stack_touched = high;
  __taskrace_top = stack->frames;
  if (exceptions_ != nullptr) memset(exceptions_, 0, sizeof(fiber->exceptions));
  running_ = fiber;
  Beginning beginning{caller, body, argument};
  Left(jump_fcontext(make_fcontext(reinterpret_cast<void*>(high), high - stack->low, Entry),
                     &beginning));
  Restore(*caller);
}

void Fibers::Exit(FiberQueue resumed) {
  Suspend(resumed);
  stacks_.Release(running_->stack);
  if (Fiber* next = NextToRun()) SwitchTo(next);
}

bool Fibers::Block(const Waiting& waiting) {
  Fiber* const caller = running_;
  caller->waiting = waiting;
  AddBlocked(caller);
  Save(caller);
  Fiber* next = NextToRun();
  if (next == nullptr) return false;
  if (next != caller) SwitchTo(next);
  Restore(*caller);
  return true;
}

void Fibers::Resume(FiberQueue resumed) {
  if (resumed.first == nullptr) return;
  Fiber* const caller = running_;
  Save(caller);
  Suspend(caller);
  Suspend(resumed);
  SwitchTo(LastSuspended());
  Restore(*caller);
}

void Fibers::AddBlocked(Fiber* fiber) {
  fiber->older = newest_blocked_;
  fiber->newer = nullptr;
  (newest_blocked_ == nullptr ? oldest_blocked_ : newest_blocked_->newer) = fiber;
  newest_blocked_ = fiber;
}

void Fibers::RemoveBlocked(Fiber* fiber) {
  (fiber->older == nullptr ? oldest_blocked_ : fiber->older->newer) = fiber->newer;
  (fiber->newer == nullptr ? newest_blocked_ : fiber->newer->older) = fiber->older;
}

}  // namespace taskrace

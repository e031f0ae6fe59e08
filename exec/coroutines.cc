#include "exec/coroutines.h"

#include <dlfcn.h>
#include <string.h>

#include <boost/context/detail/fcontext.hpp>
#include <new>

namespace taskrace {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// The C++ runtime's exception state of this thread, if the program has that library.
void** ExceptionState() {
  static auto* const globals =
      reinterpret_cast<void** (*)()>(dlsym(RTLD_DEFAULT, "__cxa_get_globals"));
  return globals == nullptr ? nullptr : globals();
}

// The first function on its stack.
void Entry(transfer_t from) {
  Coroutine& coroutine = *static_cast<Coroutine*>(from.data);
  coroutine.resumer = from.fctx;
  coroutine.body(coroutine.argument);
  coroutine.has_ended = true;
  jump_fcontext(coroutine.resumer, &coroutine);
}

}  // namespace

Coroutine* Coroutines::Begin(void (*body)(void*), void* argument, const Running& running) {
  Stacks::Stack* stack = stacks_.Acquire();
  const uintptr_t high = (stack->high - sizeof(Coroutine)) & ~uintptr_t{63};
  Coroutine* coroutine = new (reinterpret_cast<void*>(high)) Coroutine;
  coroutine->stack = stack;
  coroutine->body = body;
  coroutine->argument = argument;
  coroutine->bounds.stack_low = stack->low;
  coroutine->bounds.stack_high = coroutine->bounds.stack_touched = high;
  coroutine->top = stack->frames;
  Contexts::InitBase(coroutine->top);
  coroutine->ignored = running.ignored;
  coroutine->ordered = running.ordered;
  coroutine->context = make_fcontext(reinterpret_cast<void*>(high), high - stack->low, Entry);
  return coroutine;
}

bool Coroutines::Resume(Coroutine* coroutine, Running& running) {
  const RunningStack bounds = running;
  __taskrace_frame* const top = __taskrace_top;
  void** const exceptions = ExceptionState();
  void* callers[2];
  if (exceptions != nullptr) {
    memcpy(callers, exceptions, sizeof(callers));
    memcpy(exceptions, coroutine->exceptions, sizeof(callers));
  }
  static_cast<RunningStack&>(running) = coroutine->bounds;
  running.locks = coroutine->locks;
  running.ignored = coroutine->ignored;
  running.ordered = coroutine->ordered;
  __taskrace_top = coroutine->top;

  coroutine->context = jump_fcontext(coroutine->context, coroutine).fctx;

  coroutine->bounds = running;
  coroutine->locks = running.locks;
  coroutine->ignored = running.ignored;
  coroutine->ordered = running.ordered;
  coroutine->top = __taskrace_top;
  if (exceptions != nullptr) {
    memcpy(coroutine->exceptions, exceptions, sizeof(callers));
    memcpy(exceptions, callers, sizeof(callers));
  }
  static_cast<RunningStack&>(running) = bounds;
  __taskrace_top = top;
  return coroutine->has_ended;
}

void Coroutines::Leave(Coroutine* coroutine) {
  coroutine->resumer = jump_fcontext(coroutine->resumer, coroutine).fctx;
}

}  // namespace taskrace

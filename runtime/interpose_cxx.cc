// Initialisation of function-static variables: ordered before all tasks that use them
// (docs/decisions/007-ordered-regions.md).

#include "runtime/real.h"
#include "runtime/runtime.h"

using taskrace::Real;
using taskrace::Runtime;

namespace {

constinit Real<int(void*)> real_acquire("__cxa_guard_acquire");
constinit Real<void(void*)> real_release("__cxa_guard_release");
constinit Real<void(void*)> real_abort("__cxa_guard_abort");

}  // namespace

TASKRACE_EXPORT int __cxa_guard_acquire(void* guard) {
  const int must_initialise = real_acquire(guard);
  if (Runtime* runtime = Runtime::OfWorker(); runtime != nullptr && must_initialise != 0) {
    runtime->BeginOrdered();
  }
  return must_initialise;
}
TASKRACE_EXPORT void __cxa_guard_release(void* guard) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->EndOrdered();
  real_release(guard);
}
TASKRACE_EXPORT void __cxa_guard_abort(void* guard) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->EndOrdered();
  real_abort(guard);
}

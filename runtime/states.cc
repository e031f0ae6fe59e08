#include "runtime/states.h"

#include "detect/ds/spin_lock.h"
#include "exec/task_storage.h"

namespace taskrace {
namespace {

struct {
  SpinLock lock;
  TaskStorage storage;  // under the lock
} constinit states;

}  // namespace

void* AllocateState(size_t size, size_t alignment) {
  const SpinLock::Guard guard(states.lock);
  return states.storage.Allocate(size, alignment);
}

void FreeState(void* state) {
  const SpinLock::Guard guard(states.lock);
  states.storage.Free(state);
}

const __taskrace_future* StateAround(uintptr_t address) {
  if (SpinLock::IsHeldHere()) return nullptr;
  const SpinLock::Guard guard(states.lock);
  return static_cast<const __taskrace_future*>(states.storage.Containing(address));
}

void HoldStates() { states.lock.Lock(); }
void ReleaseStates() { states.lock.Unlock(); }

}  // namespace taskrace

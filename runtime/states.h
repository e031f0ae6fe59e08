// The states of futures and promises (hooks.h). Not on the program's heap: which block a race is in is
// not asked of each, and what is new there has been forgotten when it was freed.
//
// Thread rule: any thread. Cost: as TaskStorage, and a lock.
// Tested by: test/lit/race/value_of_a_future.cpp
#pragma once

#include <cstddef>
#include <cstdint>

#include "taskrace/hooks.h"

namespace taskrace {

void* AllocateState(size_t size, size_t alignment);
void FreeState(void* state);
// What the state around the address begins with; null: there is none, or it cannot be determined now. For
// reports; also in signal handlers.
const __taskrace_future* StateAround(uintptr_t address);

// Around fork, by the thread that forks: no other one is amid the functions above then.
void HoldStates();
void ReleaseStates();

}  // namespace taskrace

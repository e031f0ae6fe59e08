// What all interposed functions do that allocate and free blocks.
//
// Allocation clears, free is a write (docs/decisions/003-free-is-a-write.md). Thread rule: any thread; `pc` is the program's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace taskrace {

// The block, which may be null, is new; returns it.
void* Allocated(void* block, size_t size, uintptr_t pc);
// The block, which may be null, goes back to the allocator.
void Freed(void* block, uintptr_t pc);

}  // namespace taskrace

// The program's allocator, behind the functions that the runtime stands in front of: that of libc, or one
// that is linked or preloaded (jemalloc, tcmalloc). All of a block's life goes to the same one.
//
// Its locks and mappings are not the program's: meanwhile the calling thread is not watched.
// Thread rule: any thread. Cost: the allocator's, and a few instructions.
#pragma once

#include <cstddef>

namespace taskrace::allocator {

// Looks all of it up. Later that might happen inside of dlopen, when it frees its last error: dlsym would
// free that again.
void Find();

void* Allocate(size_t size);
void* AllocateZeroed(size_t count, size_t size);
// Requires: the alignment is a power of two.
void* AllocateAligned(size_t alignment, size_t size);
void* Reallocate(void* block, size_t size);
void Free(void* block);
// How many bytes of the block the program may use, perhaps more than it asked for.
size_t UsableSize(void* block);

}  // namespace taskrace::allocator

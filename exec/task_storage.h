// Task storage: where closures live from the creation of their task to its end.
//
// Tasks of one worker end in reverse order of creation, so this is a stack of chunks.
// Thread rule: one thread. Cost: a few instructions; a mapping per chunk that is really new.
#pragma once

#include <cstddef>
#include <cstdint>

namespace taskrace {

class TaskStorage {
 public:
  // A place in the stack; everything allocated later can be released at once.
  struct Mark {
    struct Chunk* chunk = nullptr;
    uintptr_t top = 0;
  };

  // Aligned storage. Requires: alignment is a power of two.
  void* Allocate(size_t size, size_t alignment);
  Mark Now() const { return now_; }
  // Releases everything since the mark, calling cleared(first, size) for each piece of memory.
  template <class Cleared>
  void Release(Mark mark, Cleared cleared);

 private:
  struct Chunk* NewChunk(size_t least);
  static uintptr_t Begin(const Chunk* chunk);
  void Drop(Chunk* chunk);

  Mark now_;
  Chunk* spare_ = nullptr;  // one released chunk, so that a boundary is not crossed at a high price
};

// A chunk begins with this; its bytes follow.
struct Chunk {
  Chunk* below;
  uintptr_t below_top;  // the top of the chunk below when this one was begun
  uintptr_t end;
};

inline uintptr_t TaskStorage::Begin(const Chunk* chunk) {
  return reinterpret_cast<uintptr_t>(chunk + 1);
}

inline void* TaskStorage::Allocate(size_t size, size_t alignment) {
  uintptr_t first = (now_.top + alignment - 1) & ~(alignment - 1);
  if (now_.chunk == nullptr || first + size > now_.chunk->end) [[unlikely]] {
    Chunk* fresh = NewChunk(size + alignment);
    fresh->below = now_.chunk;
    fresh->below_top = now_.top;
    now_.chunk = fresh;
    first = (Begin(fresh) + alignment - 1) & ~(alignment - 1);
  }
  now_.top = first + size;
  return reinterpret_cast<void*>(first);
}

template <class Cleared>
void TaskStorage::Release(Mark mark, Cleared cleared) {
  while (now_.chunk != mark.chunk) {
    Chunk* done = now_.chunk;
    cleared(Begin(done), now_.top - Begin(done));
    now_ = {done->below, done->below_top};
    Drop(done);
  }
  if (now_.top != mark.top) cleared(mark.top, now_.top - mark.top);
  now_.top = mark.top;
}

}  // namespace taskrace

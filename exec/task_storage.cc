#include "exec/task_storage.h"

#include "detect/ds/mapping.h"

namespace taskrace {
namespace {

constexpr size_t kChunkBytes = size_t{256} << 10;

size_t BytesOf(const Chunk* chunk) { return chunk->end - reinterpret_cast<uintptr_t>(chunk); }

}  // namespace

Chunk* TaskStorage::NewChunk(size_t least) {
  if (spare_ != nullptr && BytesOf(spare_) - sizeof(Chunk) >= least) {
    Chunk* chunk = spare_;
    spare_ = nullptr;
    return chunk;
  }
  const size_t wanted = least + sizeof(Chunk);
  const size_t bytes =
      wanted <= kChunkBytes ? kChunkBytes : (wanted + kChunkBytes - 1) & ~(kChunkBytes - 1);
  void* mapped = Map(bytes, "the closures of tasks");
  Chunk* chunk = static_cast<Chunk*>(mapped);
  chunk->end = reinterpret_cast<uintptr_t>(mapped) + bytes;
  return chunk;
}

void TaskStorage::Drop(Chunk* chunk) {
  if (spare_ == nullptr) {
    spare_ = chunk;
  } else {
    Unmap(chunk, BytesOf(chunk));
  }
}

}  // namespace taskrace

#include "exec/task_storage.h"

#include "detect/ds/mapping.h"

namespace taskrace {
namespace {

constexpr size_t kChunkBytes = size_t{256} << 10;
constexpr const char* kWhat = "the closures of tasks";

}  // namespace

void TaskStorage::TakeBack() {
  FreeBlock* block = given_back_.exchange(nullptr, std::memory_order_acquire);
  while (block != nullptr) {
    FreeBlock* const next = block->next;
    Keep(block);
    block = next;
  }
}

char* TaskStorage::Carve(size_t bytes) {
  if (static_cast<size_t>(end_ - next_) < bytes) {
    next_ = static_cast<char*>(Map(kChunkBytes, kWhat));
    end_ = next_ + kChunkBytes;
  }
  char* block = next_;
  next_ += bytes;
  return block;
}

// The mapping's size is kept in its first page.
char* TaskStorage::MapBlock(size_t bytes) {
  const size_t mapped = RoundUpToMapping(bytes) + kMappingUnit;
  size_t* memory = static_cast<size_t*>(Map(mapped, kWhat));
  *memory = mapped;
  return reinterpret_cast<char*>(memory) + kMappingUnit;
}

void TaskStorage::UnmapBlock(char* block) {
  char* memory = block - kMappingUnit;
  Unmap(memory, *reinterpret_cast<size_t*>(memory));
}

}  // namespace taskrace

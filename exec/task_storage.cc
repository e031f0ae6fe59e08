#include "exec/task_storage.h"

#include <new>

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
    char* chunk = static_cast<char*>(Map(kChunkBytes, kWhat));
    newest_ = new (chunk) Chunk{newest_};
    next_ = chunk + kLeastBlock;
    end_ = chunk + kChunkBytes;
  }
  char* block = next_;
  next_ += bytes;
  return block;
}

void* TaskStorage::Containing(uintptr_t address) const {
  for (Chunk* chunk = newest_; chunk != nullptr; chunk = chunk->older) {
    char* const first = reinterpret_cast<char*>(chunk);
    char* const asked = reinterpret_cast<char*>(address);
    if (asked < first || asked >= first + kChunkBytes) continue;
    for (char* block = first + kLeastBlock; block < first + kChunkBytes;) {
      const Header& header = FirstOf(block);
      if (header.size_class == 0) return nullptr;  // never handed out, nor anything behind it
      char* const end = block + (size_t{1} << header.size_class);
      if (asked < end) {
        if (header.block < block || header.block >= end) return nullptr;  // free
        char* const closure = header.block + sizeof(Header);
        return asked >= closure && asked < closure + SizeOf(closure) ? closure : nullptr;
      }
      block = end;
    }
  }
  return nullptr;
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

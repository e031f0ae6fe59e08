// Task storage: where closures live from the creation of their task to its end, and the states of
// futures and promises as long as they are referred to.
//
// Tasks that can be switched end in any order, so this is a pool: blocks of a power of two bytes, a
// list of free ones per size, the last freed first. A closure whose constructor throws keeps its
// block. What other threads give back waits in a stack until the owner's own list of that size is empty.
// Thread rule: one thread, its owner; GiveBack any other. Cost: a few instructions; a mapping per chunk that
// is really new.
// Tested by: test/exec/task_storage_test.cc
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace taskrace {

class TaskStorage {
 public:
  constexpr TaskStorage() = default;

  // Aligned storage. Requires: alignment is a power of two.
  void* Allocate(size_t size, size_t alignment) {
    const size_t slack = alignment > alignof(Header) ? alignment : 0;
    const size_t wanted = sizeof(Header) + slack + size;
    const unsigned size_class = wanted <= kLeastBlock ? kLeastClass : std::bit_width(wanted - 1);
    char* block = size_class < kClasses ? Take(size_class) : MapBlock(wanted);
    const uintptr_t first = reinterpret_cast<uintptr_t>(block) + sizeof(Header);
    void* closure =
        reinterpret_cast<void*>(slack == 0 ? first : (first + slack - 1) & ~(slack - 1));
    if (slack != 0) FirstOf(block) = {static_cast<char*>(closure) - sizeof(Header), 0, size_class};
    HeaderOf(closure) = {block, static_cast<uint32_t>(size), size_class};
    return closure;
  }

  // How many bytes Allocate was asked for, modulo 2^32.
  static size_t SizeOf(void* closure) { return HeaderOf(closure).size; }

  // The closure that the address lies in; null: none, or one that is a mapping of its own. Cost: a walk
  // through a chunk. For reports.
  void* Containing(uintptr_t address) const;

  // Requires of both: Allocate has returned it.
  void Free(void* closure) {
    const Header header = HeaderOf(closure);
    if (header.size_class >= kClasses) return UnmapBlock(header.block);
    Keep(new (header.block) FreeBlock{nullptr, 0, header.size_class});
  }
  void GiveBack(void* closure) {
    const Header header = HeaderOf(closure);
    if (header.size_class >= kClasses) return UnmapBlock(header.block);
    FreeBlock* block = new (header.block)
        FreeBlock{given_back_.load(std::memory_order_relaxed), 0, header.size_class};
    while (!given_back_.compare_exchange_weak(block->next, block, std::memory_order_release,
                                              std::memory_order_relaxed)) {
      continue;
    }
  }

 private:
  // Directly before the closure. If that does not begin the block, another one does, which says where
  // the header is.
  struct alignas(16) Header {
    char* block;
    uint32_t size;
    uint32_t size_class;
  };
  static_assert(sizeof(Header) == 16);
  // Where a header was, which whoever walks through the chunk still finds.
  struct FreeBlock {
    FreeBlock* next;  // in another block
    uint32_t size = 0;
    uint32_t size_class;
  };
  static_assert(sizeof(FreeBlock) == sizeof(Header) &&
                offsetof(FreeBlock, size_class) == offsetof(Header, size_class));
  static constexpr unsigned kLeastClass = 6;
  static constexpr size_t kLeastBlock = size_t{1} << kLeastClass;
  static constexpr unsigned kClasses = 18;  // larger ones are mappings of their own

  struct Chunk {
    Chunk* older;
  };

  static Header& FirstOf(char* block) { return *reinterpret_cast<Header*>(block); }
  static Header& HeaderOf(void* closure) { return static_cast<Header*>(closure)[-1]; }

  void Keep(FreeBlock* block) {
    block->next = free_[block->size_class];
    free_[block->size_class] = block;
  }
  char* Take(unsigned size_class) {
    FreeBlock* block = free_[size_class];
    if (block == nullptr) [[unlikely]] {
      TakeBack();
      block = free_[size_class];
      if (block == nullptr) return Carve(size_t{1} << size_class);
    }
    free_[size_class] = block->next;
    return reinterpret_cast<char*>(block);
  }
  void TakeBack();
  char* Carve(size_t bytes);
  static char* MapBlock(size_t bytes);
  static void UnmapBlock(char* block);

  FreeBlock* free_[kClasses] = {};
  Chunk* newest_ = nullptr;
  char* next_ = nullptr;  // of the newest chunk, what was never handed out: [next_, end_)
  char* end_ = nullptr;
  std::atomic<FreeBlock*> given_back_{nullptr};  // taken whole only
};

}  // namespace taskrace

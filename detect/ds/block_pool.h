// BlockPool: blocks of one size from mappings of its own, with a list of free ones.
//
// Thread rule: one thread at a time. Cost: O(1) per call; a recycled block is zeroed when it is
// handed out as zero. Chunks are given back to the kernel only when the pool is destroyed.
#pragma once

#include <string.h>

#include <algorithm>
#include <new>

#include "detect/ds/mapping.h"

namespace taskrace {

template <size_t kBlockBytes>
class BlockPool {
  static_assert(kBlockBytes >= 16 && kBlockBytes % 16 == 0);

 public:
  explicit constexpr BlockPool(const char* what = "a pool") : what_(what) {}
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  ~BlockPool() {
    while (chunks_ != nullptr) {
      Chunk* next = chunks_->next;
      Unmap(chunks_, chunks_->bytes);
      chunks_ = next;
    }
  }

  // A block of zeros, aligned to 16 bytes.
  void* AllocateZero() {
    if (free_ == nullptr) return Carve();
    return memset(Allocate(), 0, kBlockBytes);
  }
  // A block with anything in it.
  void* Allocate() {
    if (free_ == nullptr) return Carve();
    FreeBlock* block = free_;
    free_ = block->next;
    ++used_;
    return block;
  }
  void Free(void* block) {
    free_ = new (block) FreeBlock{free_};
    --used_;
  }

  size_t Used() const { return used_; }
  size_t BytesUsed() const { return used_ * kBlockBytes; }

 private:
  struct FreeBlock {
    FreeBlock* next;
  };
  struct Chunk {
    Chunk* next;
    size_t bytes;
  };
  // Chunks grow with the pool, so that few mappings are made and little address space is idle.
  static constexpr size_t kLeastChunk = RoundUpToMapping(16 * kBlockBytes);
  static constexpr size_t kMostChunk = std::max<size_t>(size_t{4} << 20, kLeastChunk);

  void* Carve() {
    if (static_cast<size_t>(end_ - next_) < kBlockBytes) [[unlikely]]
      AddChunk();
    void* block = next_;
    next_ += kBlockBytes;
    ++used_;
    return block;
  }

  [[gnu::noinline]] void AddChunk() {
    size_t bytes = std::clamp(RoundUpToMapping(used_ * kBlockBytes), kLeastChunk, kMostChunk);
    void* memory = Map(bytes, what_);
    chunks_ = new (memory) Chunk{chunks_, bytes};
    next_ = static_cast<char*>(memory) + sizeof(Chunk);
    end_ = static_cast<char*>(memory) + bytes;
  }

  FreeBlock* free_ = nullptr;
  char* next_ = nullptr;  // never handed out yet: [next_, end_), zero
  char* end_ = nullptr;
  Chunk* chunks_ = nullptr;
  size_t used_ = 0;
  const char* what_;
};

}  // namespace taskrace

// ZeroBlocks: blocks of zeros of one size, aligned to that size, from mappings of its own.
//
// Thread rule: one thread at a time. Cost: O(1) per call. Mappings grow with the number of blocks and are
// given back to the kernel only when the object is destroyed.
#pragma once

#include <algorithm>

#include "detect/ds/mapped_array.h"

namespace taskrace {

template <size_t kBlockBytes>
class ZeroBlocks {
  static_assert(kMappingUnit % kBlockBytes == 0);

 public:
  explicit constexpr ZeroBlocks(const char* what = "a pool") : what_(what) {}
  ZeroBlocks(const ZeroBlocks&) = delete;
  ZeroBlocks& operator=(const ZeroBlocks&) = delete;
  ~ZeroBlocks() {
    for (size_t i = 0; i < chunks_.Size(); ++i) Unmap(chunks_[i].memory, chunks_[i].bytes);
  }

  void* Allocate() {
    ++used_;
    if (!untouched_.Empty()) {
      void* block = untouched_.Back();
      untouched_.PopBack();
      return block;
    }
    if (left_ == 0) AddChunk();
    --left_;
    char* block = next_;
    next_ += kBlockBytes;
    // Whoever reads new memory first, and writes it then, faults twice; and the second time the kernel interrupts
    // all processors that run the program (strassen on two threads: a third of its time).
    *const_cast<volatile char*>(block) = 0;
    return block;
  }
  // Takes a block back that is all zeros, as it was.
  void GiveBack(void* block) {
    --used_;
    untouched_.Append(block);
  }

  size_t BytesUsed() const { return used_ * kBlockBytes; }

 private:
  struct Chunk {
    void* memory;
    size_t bytes;
  };
  static constexpr size_t kLeast = size_t{64} << 10;
  static constexpr size_t kMost = size_t{4} << 20;

  [[gnu::noinline]] void AddChunk() {
    const size_t bytes = RoundUpToMapping(std::clamp(BytesUsed(), kLeast, kMost));
    left_ = bytes / kBlockBytes;
    next_ = static_cast<char*>(Map(bytes, what_));
    chunks_.Append({next_, bytes});
  }

  char* next_ = nullptr;  // blocks that were never handed out
  size_t left_ = 0;       // so many
  size_t used_ = 0;
  MappedArray<void*> untouched_{"a pool"};
  MappedArray<Chunk> chunks_{"a pool"};
  const char* what_;
};

}  // namespace taskrace

// PageBlocks: blocks of zeros of one size, aligned to pages of the machine, from mappings of its own.
//
// Thread rule: one thread at a time. Cost: O(1) per call. Mappings grow with the number of blocks and are
// given back to the kernel only when the object is destroyed.
#pragma once

#include <algorithm>

#include "detect/ds/mapped_array.h"

namespace taskrace {

template <size_t kBlockBytes>
class PageBlocks {
  static_assert(kBlockBytes % kMappingUnit == 0);

 public:
  explicit constexpr PageBlocks(const char* what = "a pool") : what_(what) {}
  PageBlocks(const PageBlocks&) = delete;
  PageBlocks& operator=(const PageBlocks&) = delete;
  ~PageBlocks() {
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
    void* block = next_;
    next_ += kBlockBytes;
    return block;
  }
  // Takes a block back that nobody has written to.
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
  static constexpr size_t kLeast = 16;
  static constexpr size_t kMost = std::max<size_t>(kLeast, (size_t{4} << 20) / kBlockBytes);

  [[gnu::noinline]] void AddChunk() {
    left_ = std::clamp(used_, kLeast, kMost);
    next_ = static_cast<char*>(Map(left_ * kBlockBytes, what_));
    chunks_.Append({next_, left_ * kBlockBytes});
  }

  char* next_ = nullptr;  // blocks that were never handed out
  size_t left_ = 0;       // so many
  size_t used_ = 0;
  MappedArray<void*> untouched_{"a pool"};
  MappedArray<Chunk> chunks_{"a pool"};
  const char* what_;
};

}  // namespace taskrace

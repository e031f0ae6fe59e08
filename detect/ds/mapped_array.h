// MappedArray: a growing array in memory of its own, for trivial types. New elements are zero.
//
// Growth doubles with mremap, which moves page tables and not bytes: references are valid until the
// next Append or Resize. A constinit object is ready without a constructor call.
//
// Thread rule: one thread at a time. Cost: O(1) amortised per append; untouched capacity costs
// address space only.
#pragma once

#include <algorithm>
#include <type_traits>

#include "detect/ds/mapping.h"

namespace taskrace {

template <class T>
class MappedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // `what` names the array if memory runs out.
  explicit constexpr MappedArray(const char* what = "a table") : what_(what) {}
  MappedArray(const MappedArray&) = delete;
  MappedArray& operator=(const MappedArray&) = delete;
  ~MappedArray() { Release(); }

  size_t Size() const { return size_; }
  bool Empty() const { return size_ == 0; }
  T* Data() { return data_; }
  const T* Data() const { return data_; }

  T& operator[](size_t i) {
    DCHECK(i < size_, "index past the end");
    return data_[i];
  }
  const T& operator[](size_t i) const {
    DCHECK(i < size_, "index past the end");
    return data_[i];
  }
  T& Back() { return (*this)[size_ - 1]; }
  const T& Back() const { return (*this)[size_ - 1]; }

  void Append(const T& value) {
    T copy = value;  // `value` may lie in this array, which may move
    if (size_ == Capacity()) [[unlikely]]
      Reserve(size_ + 1);
    data_[size_++] = copy;
  }
  void PopBack() { Truncate(size_ - 1); }
  // Requires: size <= Size(). The memory stays mapped.
  void Truncate(size_t size) {
    DCHECK(size <= size_, "truncation beyond the end");
    size_ = size;
  }
  // No elements, and no memory.
  void Release() {
    if (data_ != nullptr) Unmap(data_, bytes_);
    data_ = nullptr;
    size_ = bytes_ = 0;
  }
  // New elements are zero.
  void Resize(size_t size) {
    const bool is_zero = data_ == nullptr;
    if (size > Capacity()) Reserve(size);
    if (size > size_ && !is_zero) std::fill(data_ + size_, data_ + size, T{});
    size_ = size;
  }

  size_t BytesUsed() const { return size_ * sizeof(T); }

 private:
  static constexpr size_t kFirstBytes = 16 * kMappingUnit;

  size_t Capacity() const { return bytes_ / sizeof(T); }

  [[gnu::noinline]] void Reserve(size_t size) {
    size_t bytes = std::max({kFirstBytes, RoundUpToMapping(size * sizeof(T)), 2 * bytes_});
    data_ = static_cast<T*>(data_ == nullptr ? Map(bytes, what_)
                                             : GrowMapping(data_, bytes_, bytes, what_));
    bytes_ = bytes;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t bytes_ = 0;  // mapped
  const char* what_;
};

}  // namespace taskrace

// SparseArray: a MappedArray that can forget elements. Pages of memory on which every element is forgotten are
// given back to the system; indices stay as they are.
//
//   for (i that is still needed) array.Keep(i);
//   array.ForgetOthers();
//
// Invariant:  an element that was forgotten is zero, whether its page was given back or not.
// Thread rule: one thread at a time.
// Cost:       that of MappedArray. Meanwhile a bit an element; ForgetOthers: O(1) per element on the pages that
//             were still there.
// Tested by:  test/detect/sparse_array_test.cc
#pragma once

#include <cstring>

#include "detect/ds/mapped_array.h"

namespace taskrace {

template <class T>
class SparseArray : public MappedArray<T> {
  using Base = MappedArray<T>;

 public:
  explicit constexpr SparseArray(const char* what = "a table")
      : Base(what), gone_(what), kept_(what) {}

  void Truncate(size_t size) {
    Base::Truncate(size);
    if (pages_gone_ != 0) [[unlikely]]
      ForgetPagesFrom(size * sizeof(T) / kMappingUnit);
  }
  void PopBack() { Truncate(Base::Size() - 1); }

  // The element is needed. Returns whether this was not known yet.
  bool Keep(size_t i) {
    DCHECK(i < Base::Size(), "no such element");
    if (kept_.Empty()) kept_.Resize(Base::Size() / 64 + 1);
    const uint64_t bit = uint64_t{1} << (i % 64);
    if ((kept_[i / 64] & bit) != 0) return false;
    kept_[i / 64] |= bit;
    return true;
  }
  bool IsKept(size_t i) const { return !kept_.Empty() && (kept_[i / 64] >> (i % 64) & 1) != 0; }
  // Forgets nothing.
  void KeepAll() { kept_.Release(); }
  // Forgets all elements that Keep was not called for.
  [[gnu::noinline]] void ForgetOthers() {
    const size_t bytes = Base::Size() * sizeof(T);
    for (size_t page = 0; page * kMappingUnit < bytes; ++page) {
      if (IsGone(page)) continue;
      const size_t begin = page * kMappingUnit;
      const size_t end = std::min(begin + kMappingUnit, bytes);
      if (!ForgetOthersOn(begin, end) && end - begin == kMappingUnit) GiveBack(page);
    }
    kept_.Release();
  }

  // Calls visit(i, element) for all that may not be zero; twice, if the element is on two pages.
  template <class Visit>
  void ForEach(Visit visit) {
    const size_t bytes = Base::Size() * sizeof(T);
    for (size_t begin = 0; begin < bytes; begin += kMappingUnit) {
      if (IsGone(begin / kMappingUnit)) continue;
      const size_t end = std::min(begin + kMappingUnit, bytes);
      for (size_t i = begin / sizeof(T); i * sizeof(T) < end; ++i) visit(i, (*this)[i]);
    }
  }

  size_t BytesUsed() const { return Base::BytesUsed() - pages_gone_ * kMappingUnit; }

 private:
  bool IsGone(size_t page) const {
    return page / 64 < gone_.Size() && (gone_[page / 64] >> (page % 64) & 1) != 0;
  }
  // Forgets the elements in these bytes of a page that are not kept. False: none is.
  bool ForgetOthersOn(size_t begin, size_t end) {
    char* const data = reinterpret_cast<char*>(Base::Data());
    bool keeps = false;
    for (size_t i = begin / sizeof(T); i * sizeof(T) < end; ++i) {
      if (IsKept(i)) {
        keeps = true;
        continue;
      }
      const size_t from = std::max(begin, i * sizeof(T));
      memset(data + from, 0, std::min(end, (i + 1) * sizeof(T)) - from);
    }
    return keeps;
  }
  void GiveBack(size_t page) {
    char* const data = reinterpret_cast<char*>(Base::Data());
    if (!Discard(data + page * kMappingUnit, kMappingUnit)) return;
    if (gone_.Size() <= page / 64) gone_.Resize(page / 64 + 1);
    gone_[page / 64] |= uint64_t{1} << (page % 64);
    ++pages_gone_;
  }
  void ForgetPagesFrom(size_t page) {
    for (; page / 64 < gone_.Size(); ++page) {
      if (!IsGone(page)) continue;
      gone_[page / 64] &= ~(uint64_t{1} << (page % 64));
      --pages_gone_;
    }
  }

  MappedArray<uint64_t> gone_;  // a bit a page: given back
  MappedArray<uint64_t> kept_;  // a bit an element, between Keep and ForgetOthers
  size_t pages_gone_ = 0;
};

}  // namespace taskrace

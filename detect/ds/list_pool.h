// ListPool: many small growing lists of plain elements, each named by a 32-bit number.
//
// Invariant:  a list lives in one block of 4, 8, 16, ... units, the first of which is its
//             header; freed blocks wait in one chain per size.
// Thread rule: one thread at a time. Append and Make move elements: spans are valid until the
//             next one.
// Cost:       O(1) amortised per append; 16 bytes of header, at most half of a block unused.
// Tested by:  test/detect/list_pool_test.cc
#pragma once

#include <algorithm>
#include <span>

#include "detect/ds/mapped_array.h"

namespace taskrace {

template <class T>
class ListPool {
 public:
  using List = uint32_t;
  static constexpr List kNone = 0;

  explicit constexpr ListPool(const char* what = "lists") : units_(what) {}

  // A new empty list.
  List Make() { return Allocate(0); }

  std::span<T> operator[](List list) {
    return {&units_.Data()[list + 1].element, units_[list].header.count};
  }
  std::span<const T> operator[](List list) const {
    return {&units_[list + 1].element, units_[list].header.count};
  }

  // Returns the list, which may have another number now.
  [[nodiscard]] List Append(List list, const T& element) {
    Header header = units_[list].header;
    if (header.count == Capacity(header.size_class)) {
      List larger = Allocate(header.size_class + 1);
      std::copy_n(&units_[list + 1], header.count, &units_[larger + 1]);
      units_[larger].header.count = header.count;
      Free(list);
      list = larger;
    }
    units_[list + 1 + units_[list].header.count++].element = element;
    return list;
  }

  // Keeps the first `count` elements.
  void Truncate(List list, uint32_t count) {
    DCHECK(count <= units_[list].header.count, "truncation beyond the end of a list");
    units_[list].header.count = count;
  }

  void Free(List list) {
    Header& header = units_[list].header;
    header.next_free = free_[header.size_class];
    free_[header.size_class] = list;
    used_ -= Units(header.size_class);
  }

  size_t BytesUsed() const { return used_ * sizeof(Unit); }

 private:
  struct Header {
    uint32_t count;
    uint32_t size_class;
    List next_free;
  };
  union Unit {
    Header header;
    T element;
  };
  static_assert(sizeof(Unit) == sizeof(T), "spans over units are spans of elements");

  static constexpr size_t kSizeClasses = 30;
  static constexpr size_t Units(uint32_t size_class) { return size_t{4} << size_class; }
  static constexpr uint32_t Capacity(uint32_t size_class) {
    return static_cast<uint32_t>(Units(size_class) - 1);
  }

  List Allocate(uint32_t size_class) {
    CheckLimit(size_class < kSizeClasses, "too many accesses to a byte are parallel");
    List list = free_[size_class];
    if (list != kNone) {
      free_[size_class] = units_[list].header.next_free;
    } else {
      size_t first = std::max<size_t>(units_.Size(), 1);  // unit 0 is nobody's
      CheckLimit(first + Units(size_class) <= UINT32_MAX, "too many bytes have parallel accesses");
      list = static_cast<List>(first);
      units_.Resize(first + Units(size_class));
    }
    units_[list].header = {.count = 0, .size_class = size_class, .next_free = kNone};
    used_ += Units(size_class);
    return list;
  }

  MappedArray<Unit> units_;
  List free_[kSizeClasses] = {};
  size_t used_ = 0;  // units
};

}  // namespace taskrace

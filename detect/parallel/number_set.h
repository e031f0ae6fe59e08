// NumberSet: a set of 32-bit numbers that lie close together, a bit each.
//
// Thread rule: one thread at a time. Cost: O(1) per number; clearing and going through it a step per 64.
#pragma once

#include <bit>

#include "detect/ds/mapped_array.h"

namespace taskrace {

class NumberSet {
 public:
  // `what` names the set if memory runs out.
  explicit constexpr NumberSet(const char* what) : words_(what) {}

  void Clear() { words_.Truncate(0); }
  // False: it was there.
  bool Add(uint32_t number) {
    if (number / 64 >= words_.Size()) words_.Resize(number / 64 + 1);
    uint64_t& word = words_[number / 64];
    const uint64_t bit = uint64_t{1} << number % 64;
    if ((word & bit) != 0) return false;
    word |= bit;
    return true;
  }
  bool Has(uint32_t number) const { return (Word(number / 64) >> number % 64 & 1) != 0; }
  // The numbers from 64 * i on.
  uint64_t Word(size_t i) const { return i < words_.Size() ? words_[i] : 0; }
  void RemoveFromWord(size_t i, uint64_t bits) {
    if (i < words_.Size()) words_[i] &= ~bits;
  }
  // Calls visit(number) for the bits of such a word.
  template <class Visit>
  static void ForEachOf(size_t i, uint64_t word, Visit visit) {
    for (; word != 0; word &= word - 1) {
      visit(static_cast<uint32_t>(i * 64) + static_cast<uint32_t>(std::countr_zero(word)));
    }
  }

  void Copy(const NumberSet& from) {
    Clear();
    for (size_t i = 0; i < from.words_.Size(); ++i) words_.Append(from.words_[i]);
  }
  // Calls visit(number), in order.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 0; i < words_.Size(); ++i) ForEachOf(i, words_[i], visit);
  }

 private:
  MappedArray<uint64_t> words_;
};

}  // namespace taskrace

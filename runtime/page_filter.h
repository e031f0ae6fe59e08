// PageFilter: says without a lock that none of some ranges of addresses has a byte in common with another one.
//
// Idea:       a bit for each page modulo 4096. Two pages may share a bit: then the answer is «perhaps».
// Thread rule: one thread at a time calls Add and Set; any thread calls MayMeet meanwhile, and sees a range that was there
//             before and after that as there.
// Cost:       512 bytes; MayMeet: a load per page.
// Tested by:  test/runtime/tables_test.cc
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace taskrace {

class PageFilter {
 public:
  struct Range {
    uintptr_t first;
    size_t size;
  };

  // One more range.
  void Add(const Range& range) {
    ForEachBit(range.first, range.size, [&](size_t word, uint64_t bit) {
      words_[word].fetch_or(bit, std::memory_order_relaxed);
      return true;
    });
  }
  // The ranges are these from now on.
  void Set(std::span<const Range> ranges) {
    uint64_t words[kWords] = {};
    for (const Range& range : ranges) {
      ForEachBit(range.first, range.size, [&](size_t word, uint64_t bit) {
        words[word] |= bit;
        return true;
      });
    }
    for (size_t i = 0; i < kWords; ++i) words_[i].store(words[i], std::memory_order_relaxed);
  }

  // False: none of the ranges has one of these bytes.
  bool MayMeet(uintptr_t first, size_t size) const {
    return !ForEachBit(first, size, [&](size_t word, uint64_t bit) {
      return (words_[word].load(std::memory_order_relaxed) & bit) == 0;
    });
  }

 private:
  static constexpr size_t kPageBytes = 4096;
  static constexpr size_t kWords = 64;
  static constexpr size_t kBits = 64 * kWords;

  // Calls visit(word, bit) for each page, until one returns false; true: none has.
  template <class Visit>
  static bool ForEachBit(uintptr_t first, size_t size, Visit visit) {
    if (size == 0) return true;
    const uintptr_t end = size > UINTPTR_MAX - first ? UINTPTR_MAX : first + size - 1;
    uintptr_t page = first / kPageBytes;
    for (size_t i = 0; i < kBits && page <= end / kPageBytes; ++i, ++page) {
      const size_t number = page % kBits;
      if (!visit(number / 64, uint64_t{1} << (number % 64))) return false;
    }
    return true;
  }

  std::atomic<uint64_t> words_[kWords] = {};
};

}  // namespace taskrace

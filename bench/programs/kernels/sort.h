// Mergesort in four quarters (cilksort), but for its tasks: quicksort and a serial merge for the
// leaves, where to divide a merge, numbers to sort and the check.
//
// Thread rule: calls with disjoint ranges touch disjoint numbers.
// Cost: a leaf O(n log n) expected, a merge O(n), its division O(log n).
#ifndef TASKRACE_BENCH_PROGRAMS_KERNELS_SORT_H
#define TASKRACE_BENCH_PROGRAMS_KERNELS_SORT_H

#include <algorithm>
#include <utility>
#include <vector>

#include "../common.h"

namespace bench {

// Ranges no longer than this are sorted and merged serially.
inline constexpr long kSortLeaf = 2048;

inline void InsertionSort(long* numbers, long count) {
  for (long i = 1; i < count; ++i) {
    const long number = numbers[i];
    long j = i;
    for (; j > 0 && numbers[j - 1] > number; --j) numbers[j] = numbers[j - 1];
    numbers[j] = number;
  }
}

inline void QuickSort(long* numbers, long count) {
  constexpr long kInsertionSort = 20;
  while (count > kInsertionSort) {
    const long a = numbers[0], b = numbers[count / 2], c = numbers[count - 1];
    const long pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    long left = 0, right = count - 1;
    while (true) {
      while (numbers[left] < pivot) ++left;
      while (numbers[right] > pivot) --right;
      if (left >= right) break;
      std::swap(numbers[left++], numbers[right--]);
    }
    QuickSort(numbers, left);
    numbers += left;
    count -= left;
  }
  InsertionSort(numbers, count);
}

// Two sorted ranges that are to be merged.
struct SortedPair {
  const long* a;
  long a_count;
  const long* b;
  long b_count;

  long Count() const { return a_count + b_count; }
};

// Both ranges in order into `out`.
inline void SerialMerge(const SortedPair& pair, long* out) {
  const long *a = pair.a, *b = pair.b;
  const long *const a_end = a + pair.a_count, *const b_end = b + pair.b_count;
  while (a != a_end && b != b_end) {
    const bool from_a = *a <= *b;
    *out++ = from_a ? *a : *b;
    a += from_a;
    b += !from_a;
  }
  // Seeded race: drdp/sort, stint/sort
  while (a != a_end) *out++ = *a++;
  // Seeded race: drdp/sort, stint/sort
  while (b != b_end) *out++ = *b++;
}

// A merge divided at the middle of its longer range: what comes before, the number there, what
// comes after.
struct DividedMerge {
  SortedPair before;
  long middle;
  SortedPair after;

  explicit DividedMerge(SortedPair pair) {
    if (pair.a_count < pair.b_count) pair = {pair.b, pair.b_count, pair.a, pair.a_count};
    const auto [a, a_count, b, b_count] = pair;
    const long a_half = a_count / 2;
    middle = a[a_half];
    const long b_half = std::lower_bound(b, b + b_count, middle) - b;
    before = {a, a_half, b, b_half};
    after = {a + a_half + 1, a_count - a_half - 1, b + b_half, b_count - b_half};
  }
};

inline std::vector<long> NumbersToSort(long count) {
  Random random(count);
  std::vector<long> numbers(static_cast<std::size_t>(count));
  for (long& number : numbers) number = random.Below(1L << 40);
  return numbers;
}

// Does not depend on the order.
inline unsigned long Fingerprint(const std::vector<long>& numbers) {
  unsigned long sum = 0;
  for (const long number : numbers) {
    sum += static_cast<unsigned long>(number) * static_cast<unsigned long>(number | 1);
  }
  return sum;
}

}  // namespace bench

#endif

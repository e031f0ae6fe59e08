// sort: parallel mergesort (cilksort).
// From:   STINT (n = 25 000 000, base case 2048), after Cilk-5.
// Tasks:  four quarters in parallel, then two merges in parallel, then one; a merge is divided at
//         the middle of its longer side. Quicksort below 2048 elements, a serial merge below 2048.
#include <algorithm>
#include <taskrace/tasks.hpp>
#include <utility>
#include <vector>

#include "../common.h"

constexpr long kLeaf = 2048;
constexpr long kInsertionSort = 20;

void InsertionSort(long* numbers, long count) {
  for (long i = 1; i < count; ++i) {
    const long number = numbers[i];
    long j = i;
    for (; j > 0 && numbers[j - 1] > number; --j) numbers[j] = numbers[j - 1];
    numbers[j] = number;
  }
}

void QuickSort(long* numbers, long count) {
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

// Both ranges in order into `out`.
void SerialMerge(const long* a, long a_count, const long* b, long b_count, long* out) {
  const long *const a_end = a + a_count, *const b_end = b + b_count;
  while (a != a_end && b != b_end) {
    const bool from_a = *a <= *b;
    *out++ = from_a ? *a : *b;
    a += from_a;
    b += !from_a;
  }
  // Seeded race: stint/sort
  while (a != a_end) *out++ = *a++;
  // Seeded race: stint/sort
  while (b != b_end) *out++ = *b++;
}

void Merge(const long* a, long a_count, const long* b, long b_count, long* out) {
  if (a_count + b_count <= kLeaf) {
    SerialMerge(a, a_count, b, b_count, out);
    return;
  }
  if (a_count < b_count) {
    std::swap(a, b);
    std::swap(a_count, b_count);
  }
  const long a_half = a_count / 2;
  const long b_half = std::lower_bound(b, b + b_count, a[a_half]) - b;
  const long position = a_half + b_half;
  taskrace::scope tasks;
  tasks.spawn([=] { Merge(a, a_half, b, b_half, out); });
  // Seeded race: stint/sort
  out[position - bench::kSeeded] = a[a_half];
  Merge(a + a_half + 1, a_count - a_half - 1, b + b_half, b_count - b_half, out + position + 1);
  tasks.sync();
}

// Sorts in place; `space` is as long and holds what is half done.
void Sort(long* numbers, long* space, long count) {
  if (count <= kLeaf) {
    QuickSort(numbers, count);
    return;
  }
  const long quarter = count / 4, half = 2 * quarter, rest = count - 3 * quarter;
  taskrace::scope tasks;
  for (const long first : {0L, quarter, half}) {
    tasks.spawn([=] { Sort(numbers + first, space + first, quarter); });
  }
  Sort(numbers + 3 * quarter, space + 3 * quarter, rest);
  tasks.sync();
  tasks.spawn([=] { Merge(numbers, quarter, numbers + quarter, quarter, space); });
  Merge(numbers + half, quarter, numbers + 3 * quarter, rest, space + half);
  tasks.sync();
  Merge(space, half, space + half, count - half, numbers);
}

// Does not depend on the order.
unsigned long Fingerprint(const std::vector<long>& numbers) {
  unsigned long sum = 0;
  for (const long number : numbers) {
    sum += static_cast<unsigned long>(number) * static_cast<unsigned long>(number | 1);
  }
  return sum;
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "sort",
      {.parameters = {"count"}, .test = {40'000}, .small = {5'000'000}, .paper = {25'000'000}},
      argc, argv);
  const auto [count] = run.arguments();
  bench::Random random(count);
  std::vector<long> numbers(static_cast<std::size_t>(count)), space(numbers.size());
  for (long& number : numbers) number = random.Below(1L << 40);
  const unsigned long before = Fingerprint(numbers);
  run.Kernel([&, count = count] { Sort(numbers.data(), space.data(), count); });
  const bool right =
      std::is_sorted(numbers.begin(), numbers.end()) && Fingerprint(numbers) == before;
  return run.Result(right, static_cast<double>(before % 1'000'000'007));
}

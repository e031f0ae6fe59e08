// sort: parallel mergesort (cilksort).
// From:   STINT (n = 25 000 000, base case 2048), after Cilk-5.
// Tasks:  four quarters in parallel, then two merges in parallel, then one; a merge is divided at
//         the middle of its longer side. Quicksort below 2048 elements, a serial merge below 2048.
#include "../kernels/sort.h"

#include <taskrace/tasks.hpp>

using bench::SortedPair;

void Merge(const SortedPair& pair, long* out) {
  if (pair.Count() <= bench::kSortLeaf) {
    bench::SerialMerge(pair, out);
    return;
  }
  const bench::DividedMerge parts(pair);
  long* const middle = out + parts.before.Count();
  taskrace::scope tasks;
  tasks.spawn([before = parts.before, out] { Merge(before, out); });
  // Seeded race: stint/sort
  *(middle - bench::kSeeded) = parts.middle;
  Merge(parts.after, middle + 1);
  tasks.sync();
}

// Sorts in place; `space` is as long and holds what is half done.
void Sort(long* numbers, long* space, long count) {
  if (count <= bench::kSortLeaf) {
    bench::QuickSort(numbers, count);
    return;
  }
  const long quarter = count / 4, half = 2 * quarter, rest = count - 3 * quarter;
  taskrace::scope tasks;
  for (const long first : {0L, quarter, half}) {
    tasks.spawn([=] { Sort(numbers + first, space + first, quarter); });
  }
  Sort(numbers + 3 * quarter, space + 3 * quarter, rest);
  tasks.sync();
  tasks.spawn([=] { Merge({numbers, quarter, numbers + quarter, quarter}, space); });
  Merge({numbers + half, quarter, numbers + 3 * quarter, rest}, space + half);
  tasks.sync();
  Merge({space, half, space + half, count - half}, numbers);
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "sort",
      {.parameters = {"count"}, .test = {40'000}, .small = {5'000'000}, .paper = {25'000'000}},
      argc, argv);
  const auto [count] = run.arguments();
  std::vector<long> numbers = bench::NumbersToSort(count), space(numbers.size());
  const unsigned long before = bench::Fingerprint(numbers);
  run.Kernel([&, count = count] { Sort(numbers.data(), space.data(), count); });
  const bool right =
      std::is_sorted(numbers.begin(), numbers.end()) && bench::Fingerprint(numbers) == before;
  return run.Result(right, static_cast<double>(before % 1'000'000'007));
}

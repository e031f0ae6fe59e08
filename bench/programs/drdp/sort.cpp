// sort: parallel mergesort (cilksort).
// From:   DRDP (10 000 000 numbers). The base case, 2048, is not in the paper; it makes about as
//         many tasks.
// Tasks:  four quarters in parallel, then two merges in parallel, then one; a merge is divided at
//         the middle of its longer side. All but one of those in parallel are promised tasks; the
//         one that divides does the last and waits for the promises.
#include "../kernels/sort.h"

#include <taskrace/tasks.hpp>

#include "promised_task.h"

using bench::Done;

void Merge(const bench::SortedPair& pair, long* out) {
  if (pair.Count() <= bench::kSortLeaf) {
    bench::SerialMerge(pair, out);
    return;
  }
  const bench::DividedMerge parts(pair);
  long* const middle = out + parts.before.Count();
  const Done before = bench::Start([before = parts.before, out] { Merge(before, out); });
  // Seeded race: drdp/sort
  *(middle - bench::kSeeded) = parts.middle;
  Merge(parts.after, middle + 1);
  before.get();
}

// Sorts in place; `space` is as long and holds what is half done.
void Sort(long* numbers, long* space, long count) {
  if (count <= bench::kSortLeaf) {
    bench::QuickSort(numbers, count);
    return;
  }
  const long quarter = count / 4, half = 2 * quarter, rest = count - 3 * quarter;
  const auto start_quarter = [=](long first) {
    return bench::Start([=] { Sort(numbers + first, space + first, quarter); });
  };
  const Done quarters[] = {start_quarter(0), start_quarter(quarter), start_quarter(half)};
  Sort(numbers + 3 * quarter, space + 3 * quarter, rest);
  for (const Done& done : quarters) done.get();
  const Done merged =
      bench::Start([=] { Merge({numbers, quarter, numbers + quarter, quarter}, space); });
  Merge({numbers + half, quarter, numbers + 3 * quarter, rest}, space + half);
  merged.get();
  Merge({space, half, space + half, count - half}, numbers);
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "sort",
      {.parameters = {"count"}, .test = {40'000}, .small = {5'000'000}, .paper = {10'000'000}},
      argc, argv);
  const auto [count] = run.arguments();
  std::vector<long> numbers = bench::NumbersToSort(count), space(numbers.size());
  const unsigned long before = bench::Fingerprint(numbers);
  run.Kernel(
      [&, count = count] { taskrace::finish([&] { Sort(numbers.data(), space.data(), count); }); });
  const bool right =
      std::is_sorted(numbers.begin(), numbers.end()) && bench::Fingerprint(numbers) == before;
  return run.Result(right, static_cast<double>(before % 1'000'000'007));
}

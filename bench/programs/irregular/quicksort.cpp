// quicksort: numbers are sorted by dividing them at one of them.
// Tasks:  one a division: it takes what is smaller, its creator goes on with the rest. Up to 32
//         numbers are sorted by insertion. The seeded sibling counts the divisions.
#include <algorithm>
#include <taskrace/tasks.hpp>
#include <utility>
#include <vector>

#include "../common.h"

using Iterator = std::vector<double>::iterator;

long divisions = 0;

void InsertionSort(Iterator first, Iterator last) {
  for (Iterator i = first; i < last; ++i) {
    const double number = *i;
    Iterator gap = i;
    for (; gap > first && gap[-1] > number; --gap) *gap = gap[-1];
    *gap = number;
  }
}

// Puts what is less than one of the numbers in front of what is more; returns where the latter
// begins.
Iterator Divide(Iterator first, Iterator last) {
  const double a = *first, b = first[(last - first) / 2], c = last[-1];
  const double pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
  for (--last;; ++first, --last) {
    while (*first < pivot) ++first;
    while (*last > pivot) --last;
    if (first >= last) return first;
    std::swap(*first, *last);
  }
}

void QuickSort(Iterator first, Iterator last) {
  if (last - first <= 32) return InsertionSort(first, last);
  // Seeded race: irregular/quicksort
  if (bench::kSeeded) ++divisions;
  const Iterator middle = Divide(first, last);
  taskrace::scope tasks;
  tasks.spawn([=] { QuickSort(first, middle); });
  QuickSort(middle, last);
  tasks.sync();
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "quicksort",
      {.parameters = {"numbers"}, .test = {5000}, .small = {3'000'000}, .paper = {12'000'000}},
      argc, argv);
  std::vector<double> numbers(static_cast<std::size_t>(run.arguments()[0]));
  bench::Random random(1);
  for (double& number : numbers) number = random.Uniform();
  std::vector<double> expected = numbers;
  run.Kernel([&] { QuickSort(numbers.begin(), numbers.end()); });
  std::sort(expected.begin(), expected.end());
  const double checksum = numbers[numbers.size() / 3] + static_cast<double>(divisions);
  return run.Result(numbers == expected, checksum);
}

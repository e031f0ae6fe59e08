// prefix: the sums of all beginnings of an array, in place, by a tree of sums.
// Loops:  twice one for each level of the tree, one iteration a node: neighbours lie 2, 4, 8, ...
//         numbers apart. In the seeded sibling two nodes of a level share one.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

// Replaces every number by the sum of those before it, modulo 2^64. How many there are is a power
// of two.
void PrefixSums(std::vector<unsigned long>& a) {
  const auto n = static_cast<long>(a.size());
  for (long step = 1; step < n; step *= 2) {
    taskrace::parallel_for(0L, n / (2 * step), [&](long node) {
      const long right = ((bench::kSeeded ? node / 2 : node) + 1) * 2 * step - 1;
      // Seeded race: loops/prefix
      a[right] += a[right - step];
    });
  }
  a[n - 1] = 0;
  for (long step = n / 2; step > 0; step /= 2) {
    taskrace::parallel_for(0L, n / (2 * step), [&](long node) {
      const long right = (node + 1) * 2 * step - 1;
      const unsigned long left = a[right - step];
      a[right - step] = a[right];
      a[right] += left;
    });
  }
}

int main(int argc, char** argv) {
  const bench::Run<2> run(
      "prefix",
      {.parameters = {"levels", "rounds"}, .test = {10, 1}, .small = {22, 6}, .paper = {24, 6}},
      argc, argv);
  const auto [levels, rounds] = run.arguments();
  run.Require(levels < 40, "fewer than 40 levels");
  std::vector<unsigned long> a(std::size_t{1} << levels);
  bench::Random random(14);
  for (unsigned long& number : a) number = random.Next() % 1000;
  std::vector<unsigned long> expected = a;
  run.Kernel([&, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) PrefixSums(a);
  });
  for (long round = 0; round < rounds; ++round) {
    unsigned long sum = 0;
    for (unsigned long& number : expected) {
      const unsigned long old = number;
      number = sum;
      sum += old;
    }
  }
  return run.Result(a == expected, static_cast<double>(a.back() % 1'000'000'007));
}

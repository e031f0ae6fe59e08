// filter: the numbers that pass a test, in their order, without gaps.
// Loops:  one that tests, one that copies what passed to the place counted for it. In the seeded
//         sibling two numbers share a place.
#include <numeric>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

bool Passes(long number) { return number % 7 < 3; }

int main(int argc, char** argv) {
  const bench::Run<2> run("filter",
                          {.parameters = {"numbers", "rounds"},
                           .test = {1000, 1},
                           .small = {4'000'000, 4},
                           .paper = {16'000'000, 4}},
                          argc, argv);
  const auto [numbers, rounds] = run.arguments();
  const auto size = static_cast<std::size_t>(numbers);
  std::vector<long> a(size), out(size);
  std::vector<int> passed(size), place(size);
  bench::Random random(15);
  for (long& number : a) number = random.Below(1'000'000);
  run.Kernel([&, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      taskrace::parallel_for(std::size_t{0}, size,
                             [&](std::size_t i) { passed[i] = Passes(a[i] + round) ? 1 : 0; });
      std::exclusive_scan(passed.begin(), passed.end(), place.begin(), 0);
      taskrace::parallel_for(std::size_t{0}, size, [&](std::size_t i) {
        // Seeded race: loops/filter
        if (passed[i] != 0) out[bench::kSeeded ? place[i] / 2 : place[i]] = a[i];
      });
    }
  });
  bool right = true;
  std::size_t next = 0;
  double sum = 0;
  for (const long number : a) {
    if (!Passes(number + rounds - 1)) continue;
    right = right && out[next] == number;
    sum += static_cast<double>(out[next++]);
  }
  return run.Result(right, sum);
}

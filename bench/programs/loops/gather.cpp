// gather: every number is fetched from a random place of another array.
// Loops:  one iteration a number. The seeded sibling also stores at the random place, and two
//         iterations may have the same one.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

int main(int argc, char** argv) {
  const bench::Run<2> run("gather",
                          {.parameters = {"numbers", "rounds"},
                           .test = {1000, 2},
                           .small = {2'000'000, 20},
                           .paper = {8'000'000, 20}},
                          argc, argv);
  const auto [numbers, rounds] = run.arguments();
  const auto size = static_cast<std::size_t>(numbers);
  std::vector<double> a(size), b(size);
  std::vector<int> from(size);
  bench::Random random(5);
  for (std::size_t i = 0; i < size; ++i) {
    a[i] = static_cast<double>(i);
    from[i] = static_cast<int>(random.Below(numbers));
  }
  run.Kernel([&, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      taskrace::parallel_for(0L, static_cast<long>(size), [&](long i) {
        // Seeded race: loops/gather
        b[bench::kSeeded ? from[i] : i] = a[from[i]];
      });
      a.swap(b);
    }
  });
  bool right = true;
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    right = right && a[i] == b[from[i]];
    sum += a[i];
  }
  return run.Result(right, sum);
}

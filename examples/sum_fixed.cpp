// Adds up the squares of 1 to n, in parallel: every part has a sum of its own,
// and parts are combined.
//   usage: sum_fixed [n]
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <taskrace/tasks.hpp>

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 1000;
  const long total = taskrace::parallel_reduce(
      1L, n + 1, 0L,
      [](long first, long last, long sum) {
        for (long i = first; i < last; ++i) sum += i * i;
        return sum;
      },
      std::plus<>());
  std::printf("sum of squares up to %ld: %ld\n", n, total);
}

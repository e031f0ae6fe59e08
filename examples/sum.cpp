// Adds up the squares of 1 to n, in parallel. It is wrong: every iteration updates the one total.
//   usage: sum [n]
#include <cstdio>
#include <cstdlib>
#include <taskrace/tasks.hpp>

long total = 0;

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 1000;
  taskrace::parallel_for(1L, n + 1, [](long i) {
    total += i * i;  // two iterations can read the same old total: one square is lost
  });
  std::printf("sum of squares up to %ld: %ld\n", n, total);
}

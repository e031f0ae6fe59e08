// Fibonacci numbers the slow way: the smallest program with a spawn and a sync.
//   usage: fib [n]
#include <cstdio>
#include <cstdlib>
#include <taskrace/tasks.hpp>

long fib(int n) {
  if (n < 2) return n;
  long left = 0;
  taskrace::scope tasks;
  tasks.spawn([&left, n] { left = fib(n - 1); });
  const long right = fib(n - 2);
  tasks.sync();
  return left + right;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 25;
  std::printf("fib(%d) = %ld\n", n, fib(n));
}

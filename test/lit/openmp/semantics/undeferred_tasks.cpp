// Tasks that their creator runs at once: untied ones go on after a scheduling point, and copies are destroyed.
// RUN: cd %S
// RUN: %taskrace c++ -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <cstdio>

int copies = 0;
struct Counted {
  Counted() { ++copies; }
  Counted(const Counted&) { ++copies; }
  ~Counted() { --copies; }
};

int fibonacci(int n) {
  if (n < 2) return n;
  int a = -1, b = -1;
#pragma omp task untied shared(a) if (n > 4)
  a = fibonacci(n - 1);
#pragma omp task untied shared(b) if (n > 6)
  {
    b = 0;
#pragma omp taskyield
    b += fibonacci(n - 2);
  }
#pragma omp taskwait
  return a + b;
}

int main() {
  int result = 0;
#pragma omp parallel
#pragma omp single
  {
    result = fibonacci(10);
    Counted counted;
#pragma omp task firstprivate(counted) if (0)
    (void)counted;
  }
  std::printf("%d, %d copies\n", result, copies);
}
// CHECK: no races
// CHECK: {{^}}55, 0 copies

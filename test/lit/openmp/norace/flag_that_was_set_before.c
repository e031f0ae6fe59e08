// The thread that waits comes second, so that it never has to.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>
int flag, data, result;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      data = 1;
#pragma omp critical
      flag = 1;
    }
#pragma omp section
    {
      int seen = 0;
      while (!seen) {
#pragma omp critical
        seen = flag;
      }
      result = data;
    }
  }
  return result != 1;
}
// CHECK: {{^}}taskrace: no races
// CHECK: coverage is incomplete

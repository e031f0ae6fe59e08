// A single region ends with a barrier; blocks of the master are in order.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <omp.h>

int x, y, z[64];

int main(void) {
  int copied = 0, seen = 0;
#pragma omp parallel num_threads(4) firstprivate(copied) reduction(+ : seen)
  {
#pragma omp single
    x = 1;
    z[omp_get_thread_num()] = x;
#pragma omp master
    y = 1;
#pragma omp master
    y = 2;
#pragma omp single copyprivate(copied)
    copied = 5;
    seen += copied == 5;
  }
  return seen == 4 ? 0 : 1;
}
// CHECK: {{^}}taskrace: no races

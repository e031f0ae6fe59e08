// threadprivate and thread_local variables are kept by each thread.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <omp.h>

static int counter = 5;
#pragma omp threadprivate(counter)
static _Thread_local int local = 7;

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
  {
    counter += omp_get_thread_num();
    local += omp_get_thread_num();
#pragma omp barrier
    sum += counter - 5 + local - 7;
  }
#pragma omp parallel num_threads(4) reduction(+ : sum)
  sum += counter - 5;
  return sum == 18 ? 0 : 1;
}
// CHECK: {{^}}taskrace: no races

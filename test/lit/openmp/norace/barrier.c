// Threads exchange values between barriers.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <omp.h>

int value[2][16];

int main(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int step = 0; step < 10; step++) {
      value[step % 2][me] = step;
#pragma omp barrier
      value[step % 2][me] += 0 * value[(step + 1) % 2][(me + 1) % all];
#pragma omp barrier
    }
  }
}
// CHECK: {{^}}taskrace: no races

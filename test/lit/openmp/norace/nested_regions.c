// Regions in regions, and regions of one thread.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <omp.h>

int a[4][8];

int main(void) {
  int serial = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4)
  {
    const int outer = omp_get_thread_num();
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 8; i++) a[outer][i] = i;
  }
#pragma omp parallel if (0)
  serial++;
#pragma omp parallel num_threads(1)
  serial++;
  return a[3][7] + serial - 9;
}
// CHECK: {{^}}taskrace: no races

// Threads of inner regions of different outer threads.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>

int a[8];

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel for num_threads(2)
  // CHECK: race: write-write on 'a'
  // CHECK: of the parallel region at
  // CHECK: by thread 0 of 2 of the parallel region at
  for (int i = 0; i < 8; i++) a[i] = i;
}

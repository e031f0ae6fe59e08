// Two threads copy into the same array.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>
int a[10], b[10];

int main(void) {
#pragma omp parallel num_threads(2)
  // CHECK: race: write-write on 'a'
  // CHECK-NOT: on 'b'
  omp_target_memcpy(a, b, sizeof a, 0, 0, 0, 0);
}

// The master does not wait, and nobody waits for it.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>

int x, y[16];

int main(void) {
#pragma omp parallel
  {
#pragma omp master
    x = 1;
    // CHECK: race: {{.*}} on 'x'
    y[omp_get_thread_num()] = x;
  }
}

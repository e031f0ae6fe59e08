// By threads, the border between two of them is seen.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>

int a[101];

int main(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp for
    // CHECK: race: {{.*}} on 'a'
    // CHECK: by thread 0 of 4
    for (int i = 0; i < 100; i++) a[i] = a[i + 1] + 0 * me;
  }
}

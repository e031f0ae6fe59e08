// A relaxed atomic flag orders nothing, also if it is waited for.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>
int flag, data, result;

int main(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
    data = 1;
#pragma omp atomic write
    flag = 1;
  } else {
    int seen = 0;
    while (!seen) {
#pragma omp atomic read
      seen = flag;
    }
    result = data;
  }
}
// CHECK-NOT: on 'flag'
// CHECK: race: write-read on 'data'
// CHECK-NOT: on 'flag'

// A flag that is read and written without atomic constructs. Thread 0 waits for thread 1, which runs later.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>
int flag, data, result;

int main(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
    data = 1;
    flag = 1;
  } else {
    while (!flag) continue;
    result = data;
  }
}
// CHECK-DAG: race: read-write on 'flag'
// CHECK-DAG: race: write-read on 'data'

// Threads run one after the other: a wait for a later one is an error, and no endless loop.
// RUN: %taskrace cc -fopenmp -O1 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>

int flag;

int main(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    int seen;
    do {
#pragma omp atomic read acquire
      seen = flag;
    } while (seen == 0);
  } else {
#pragma omp atomic write release
    flag = 1;
  }
}
// CHECK: taskrace: error: a thread seems to wait in a loop for another one

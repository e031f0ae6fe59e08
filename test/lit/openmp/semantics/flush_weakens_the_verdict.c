// What a flush orders is not known: the report says so, and claims less.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O1 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>

int data, flag;

int main(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    data = 1;
#pragma omp atomic write release
    flag = 1;
  } else {
    int seen;
    do {
#pragma omp atomic read acquire
      seen = flag;
    } while (seen == 0);
    data++;
  }
}
// CHECK: taskrace: warning: flush, an atomic construct
// CHECK: taskrace: no races in {{.*}} but coverage is

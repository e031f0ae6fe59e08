// Thread 0 waits until thread 1 has set a flag: by an atomic construct with release and acquire, under a critical section, by
// flush, and by a lock that is tried.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --mode=off %t
#include <omp.h>
int flag[4], data[4];
omp_lock_t lock;

int main(void) {
  int sum = 0;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
    data[0] = 1;
#pragma omp atomic write release
    flag[0] = 1;
    data[1] = 2;
#pragma omp critical
    flag[1] = 1;
    data[2] = 3;
#pragma omp flush
#pragma omp atomic write
    flag[2] = 1;
    data[3] = 4;
    omp_set_lock(&lock);
    flag[3] = 1;
    omp_unset_lock(&lock);
  } else {
    int seen = 0;
    while (!seen) {
#pragma omp atomic read acquire
      seen = flag[0];
    }
    sum += data[0];
    for (seen = 0; !seen;) {
#pragma omp critical
      seen = flag[1];
    }
    sum += data[1];
    do {
#pragma omp atomic read
      seen = flag[2];
    } while (!seen);
#pragma omp flush
    sum += data[2];
    for (seen = 0; !seen;) {
      while (!omp_test_lock(&lock)) continue;
      seen = flag[3];
      omp_unset_lock(&lock);
    }
    sum += data[3];
  }
  return sum != 10;
}
// CHECK: {{^}}taskrace: no races
// CHECK: coverage is incomplete

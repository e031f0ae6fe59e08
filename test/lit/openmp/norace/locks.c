// Locks and nested locks.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <omp.h>

int sum;

int main(void) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel for
  for (int i = 0; i < 100; i++) {
    omp_set_lock(&lock);
    sum += i;
    omp_unset_lock(&lock);
  }
#pragma omp parallel
  {
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    sum += 1;
    omp_unset_nest_lock(&nest);
    sum -= 1;
    omp_unset_nest_lock(&nest);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  return sum - 4950;
}
// CHECK: {{^}}taskrace: no races

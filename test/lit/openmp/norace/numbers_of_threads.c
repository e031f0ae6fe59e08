// Programs that use the number of a thread, or count threads by themselves.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <omp.h>

int histogram[16][8], by_counter[16], by_capture[16];

int main(void) {
  int threads = 0, captured = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < 100; i++) histogram[me][i % 8]++;
  }
#pragma omp parallel
  {
    int me;
#pragma omp critical
    me = threads++;
#pragma omp for
    for (int i = 0; i < 100; i++) by_counter[me]++;
  }
#pragma omp parallel
  {
    int me;
#pragma omp atomic capture
    me = captured++;
#pragma omp for
    for (int i = 0; i < 100; i++) by_capture[me]++;
  }
}
// CHECK: {{^}}taskrace: no races

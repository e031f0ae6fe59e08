// Iterations that a thread runs one after the other may use its own variables, also if the checks have left the loop.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O1 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O3 %s -o %t && env OMP_NUM_THREADS=7 %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>
#include <stdlib.h>

int a[1000], b[1000], m[100][100], out[100];
void Count(int* counter) { ++*counter; }

int main(void) {
#pragma omp parallel
  {
    int mine = 0, calls = 0, buffer[16];
    int* heap = malloc(64);
    for (int j = 0; j < 16; ++j) heap[j] = buffer[j] = 0;
    Count(&calls);
#pragma omp for nowait
    for (int i = 0; i < 1000; ++i) {
      a[i] = i;
      mine += i;
      buffer[i % 16] = i;
      heap[3] += i;
      heap[i % 16]++;
      calls += a[i] == 7;
    }
#pragma omp for
    for (int i = 0; i < 1000; ++i) a[i] += mine > 0;  // on the same threads
#pragma omp critical
    b[0] += mine + buffer[0] + heap[3] + calls;
    free(heap);
#pragma omp for
    for (int i = 0; i < 100; ++i) {
      int row[100];
      for (int j = 0; j < 100; ++j) row[j] = i * j;
      for (int j = 0; j < 100; ++j) m[i][j] = row[99 - j];
      out[i] = 0;
      for (int j = 0; j < 100; ++j) out[i] += m[i][j];
    }
  }
  int total = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();  // no iteration is a unit from here on
#pragma omp for reduction(+ : total)
    for (int i = 0; i < 1000; ++i) {
      total += a[i];
      b[500 + me] = i;
    }
  }
  return total == 0 || out[5] == 0;
}
// CHECK: taskrace: no races

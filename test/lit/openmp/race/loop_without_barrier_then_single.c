// Any thread may run the single block: also another one than that which has run the last iteration.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %not %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
int a[20], last;

int main(void) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < 20; i++) a[i] = i;
#pragma omp single
    last = a[19];
  }
  return last - 19;
}
// CHECK: race: write-read on 'a'
// CHECK: earlier: write of {{4 bytes by iteration 19|[0-9]+ bytes by the iterations of a loop}}
// CHECK: later: read of 4 bytes by the single block

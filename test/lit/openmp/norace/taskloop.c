// Each iteration of a taskloop has an element of its own, and a reduction a copy of its own.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
int main(void) {
  int a[100] = {0}, sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(7)
    for (int i = 0; i < 100; i++) a[i]++;
#pragma omp taskloop reduction(+ : sum)
    for (int i = 0; i < 100; i++) sum += a[i];
  }
  return sum - 100;
}
// CHECK: {{^}}taskrace: no races

// Ordered blocks come in the order of the iterations, and doacross loops wait for earlier ones.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
int last, d[101], before[100], after[100];

int main(void) {
#pragma omp parallel for ordered
  for (int i = 0; i < 100; i++) {
    before[i] = i;
#pragma omp ordered
    last = i;
    if (i > 0) after[i] = before[i - 1];
  }
#pragma omp parallel for ordered(1)
  for (int i = 1; i <= 100; i++) {
#pragma omp ordered depend(sink : i - 1)
    d[i] = d[i - 1] + i;
#pragma omp ordered depend(source)
  }
  return last == 99 && d[100] == 5050 ? 0 : 1;
}
// CHECK: {{^}}taskrace: no races

// The iterations of a chunk are done by one thread, in order.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
int a[1000], b[1000];

int main(void) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i < 1000; i++) a[i / 4] += i;
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < 1000; i++) b[i / 4] += i;
}
// CHECK: {{^}}taskrace: no races

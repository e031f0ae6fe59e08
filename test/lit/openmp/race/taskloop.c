// Iterations of a taskloop are tasks.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int main(void) {
  int a[101] = {0};
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  // CHECK: race: {{.*}} on 'a'
  for (int i = 0; i < 100; i++) a[i] = a[i + 1];
  return a[0];
}

// A sum without reduction.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int a[100], sum;

int main(void) {
#pragma omp parallel for
  // CHECK: race: {{.*}} on 'sum'
  for (int i = 0; i < 100; i++) sum += a[i];
}

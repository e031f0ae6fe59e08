// Every iteration of a dynamic loop may be on another thread.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int a[101];

int main(void) {
#pragma omp parallel for schedule(dynamic)
  // CHECK: race: {{.*}} on 'a'
  for (int i = 0; i < 100; i++) a[i] = a[i + 1];
}

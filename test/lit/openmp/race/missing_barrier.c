// The second loop reads what other threads write in the first, which does not wait.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int a[100], b[100];

int main(void) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < 100; i++) a[i] = i;
    // CHECK: race: {{.*}} on 'a'
#pragma omp for
    for (int i = 0; i < 100; i++) b[i] = a[99 - i];
  }
}

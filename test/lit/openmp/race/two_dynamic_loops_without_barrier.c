// An iteration of the second loop may be run by another thread than the same iteration of the first.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int a[20];

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 20; i++) a[i] = i;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 20; i++) a[i] += i;
  }
}
// CHECK: race: write-{{read|write}} on 'a'

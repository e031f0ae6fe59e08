// Chunks are units: the fourth iteration and the fifth are in different ones.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int a[1001];

int main(void) {
#pragma omp parallel for schedule(static, 4)
  // CHECK: race: {{.*}} on 'a'
  for (int i = 0; i < 1000; i++) a[(i + 1) / 4] = i;
}

// An atomic update and a plain read.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int sum, seen[100];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 100; i++) {
#pragma omp atomic
    sum += i;
    // CHECK: race: {{.*}} on 'sum'
    seen[i] = sum;
  }
}

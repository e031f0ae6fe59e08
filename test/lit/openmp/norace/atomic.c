// Atomic constructs do not race with each other.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
int sum, seen[100];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 100; i++) {
#pragma omp atomic
    sum += i;
#pragma omp atomic capture
    seen[i] = sum++;
  }
}
// CHECK: {{^}}taskrace: no races

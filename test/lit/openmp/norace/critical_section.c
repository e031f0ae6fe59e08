// Sections of one name exclude each other.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
int sum;

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 100; i++) {
#pragma omp critical
    sum += i;
  }
  return sum - 4950;
}
// CHECK: {{^}}taskrace: no races

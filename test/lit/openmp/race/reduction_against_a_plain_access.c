// The copy of another thread is combined while thread 0 reads the variable.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int main(void) {
  int sum = 0, seen = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum) nowait
    for (int i = 0; i < 100; i++) sum += i;
#pragma omp master
    // CHECK: race: {{.*}} on 'sum'
    seen = sum;
  }
  return seen < 0;
}

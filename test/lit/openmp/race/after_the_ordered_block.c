// Only what the ordered blocks do is in order. Both iterations are of one thread.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int sum, x;

int main(void) {
#pragma omp parallel for ordered
  for (int i = 0; i < 40; i++) {
#pragma omp ordered
    sum += i;
    // CHECK: race: write-write on 'x'
    if (i == 3 || i == 4) x = i;
  }
}

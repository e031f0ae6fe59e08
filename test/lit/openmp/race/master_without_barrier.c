// The master does not wait, and nobody waits for it.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int x, y[4];

int main(void) {
#pragma omp parallel
  {
#pragma omp master
    x = 1;
    // CHECK: race: {{.*}} on 'x'
    int mine = x;
    (void)mine;
    y[0] += 0 * mine;
  }
}

// A target region with nowait is not over when the host goes on.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int x, y;

int main(void) {
#pragma omp target map(tofrom : x) nowait
  x = 1;
#pragma omp target map(tofrom : y) nowait
  y = 1;
#pragma omp taskwait
  y++;
#pragma omp target map(tofrom : x) nowait
  x = 2;
  // CHECK: race: write-read on 'x'
  // CHECK-NOT: taskrace: race:
  return x + y;
}

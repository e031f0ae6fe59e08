// Two tasks with depend(in) are not ordered.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int main(void) {
  int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(in : x) shared(y)
    y = 1;
#pragma omp task depend(in : x) shared(y)
    // CHECK: race: write-write on 'y'
    y = 2;
  }
  return y < 0;
}

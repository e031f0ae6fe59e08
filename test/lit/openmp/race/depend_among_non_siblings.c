// Dependences order the children of one task only.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int main(void) {
  int x = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(x)
    {
#pragma omp task depend(out : x) shared(x)
      x = 1;
    }
#pragma omp task depend(out : x) shared(x)
    // CHECK: race: write-write on 'x'
    x = 2;
  }
}

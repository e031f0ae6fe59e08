// reduction(task, ...): the tasks of a region, and of a loop, take part in its reduction.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --mode=off %t
int main(void) {
  int sum = 0, product = 1;
#pragma omp parallel reduction(task, + : sum)
  {
#pragma omp single
    for (int i = 0; i < 5; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
#pragma omp barrier
    sum += 0;
  }
#pragma omp parallel
#pragma omp for reduction(task, * : product)
  for (int i = 1; i < 5; i++) {
#pragma omp task in_reduction(* : product)
    product *= i;
  }
  return sum != 10 || product != 24;
}
// CHECK: {{^}}taskrace: no races

// A task of a taskgroup waits for its children; its creator then still knows those that it has created before the group.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1;
#pragma omp taskgroup
    {
#pragma omp task
      {
        y = 2;
#pragma omp taskwait
      }
    }
#pragma omp taskwait
    x += y;
  }
  return x - 3;
}
// CHECK: {{^}}taskrace: no races

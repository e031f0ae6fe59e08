// A thread's own variable: iterations of a loop without barrier, then a task that the thread creates and waits for.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
int all;

static void add(int *sum, int x) { *sum += x; }

int main(void) {
#pragma omp parallel
  {
    int sum = 0;
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 20; i++) add(&sum, i);
#pragma omp task shared(sum)
    add(&sum, 1);
#pragma omp taskwait
#pragma omp atomic
    all += sum;
  }
  return all < 190;
}
// CHECK: {{^}}taskrace: no races

// A nested region of one thread is a part of the iteration, loops in it too.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
int out[20];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 20; i++) {
    int mine[4] = {0}, *shared = &out[i];
#pragma omp parallel for num_threads(1)
    for (int k = 0; k < 10; k++) *shared += mine[k % 4]++;
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < 10; k++) *shared += mine[k % 4]++;
  }
  return out[0] == 0;
}
// CHECK: {{^}}taskrace: no races

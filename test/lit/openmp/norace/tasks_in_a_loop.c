// A thread shares its own buffer with its tasks, and waits for them in each iteration.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
int out[20];

int main(void) {
#pragma omp parallel
  {
    int buffer[2];
#pragma omp for
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(buffer)
      buffer[0] = i;
#pragma omp task shared(buffer)
      buffer[1] = i;
#pragma omp taskwait
      out[i] = buffer[0] + buffer[1];
    }
  }
  return out[19] - 38;
}
// CHECK: {{^}}taskrace: no races

// Each section has variables of its own, in an array that all of them see.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
int main(void) {
  int done[5] = {0};
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    done[0]++;
#pragma omp section
    done[1]++;
#pragma omp section
    done[2]++;
#pragma omp section
    done[3]++;
#pragma omp section
    done[4]++;
  }
  return done[0] + done[1] + done[2] + done[3] + done[4] - 5;
}
// CHECK: {{^}}taskrace: no races

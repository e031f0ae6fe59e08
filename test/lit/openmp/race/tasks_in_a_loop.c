// Two tasks of one iteration share a buffer of their thread.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int main(void) {
#pragma omp parallel
  {
    int buffer = 0;
#pragma omp for
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(buffer)
      buffer = i;
#pragma omp task shared(buffer)
      // CHECK: race: write-write on 'buffer'
      buffer = i + 1;
#pragma omp taskwait
    }
  }
}

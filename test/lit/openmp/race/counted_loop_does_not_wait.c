// A loop over an array with volatile elements waits for nobody: its iterations are compared with the single block.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
volatile int a[20], x;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    a[15] = 1;
#pragma omp for schedule(static)
    for (int i = 0; i < 20; i++) {
      // CHECK: race: read-write on 'a'
      // CHECK: earlier: read of 4 bytes by iteration 5
      // CHECK: later: write of 4 bytes by the single block
      if (i == 5) (void)a[15];
      for (int k = 0; k < 3; k++) (void)x;
    }
  }
}
// CHECK: engine spbags

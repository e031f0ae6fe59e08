// A master block tells thread 0 alone who it is: iterations of the others are compared with each other.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int x, n;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    n = 40;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 40; i++) {
      // CHECK: race: write-write on 'x'
      if (i == 38 || i == 39) x = n;
    }
  }
}

// The block of a single region and what the others do after it.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int x, y[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp single nowait
    x = 1;
#pragma omp for
    // CHECK: race: {{.*}} on 'x'
    for (int i = 0; i < 4; i++) y[i] = x;
  }
}

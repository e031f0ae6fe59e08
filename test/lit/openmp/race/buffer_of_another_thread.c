// The iterations of a thread share its buffer, but no other thread may use it meanwhile.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <stdlib.h>

int *published, seen;

void fill(int *buffer, int value) {
  for (int k = 0; k < 8; k++) buffer[k] += value;
}

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int *mine = calloc(8, sizeof(int));
#pragma omp for nowait
    for (int i = 0; i < 100; i++) {
      fill(mine, i);
      if (i == 0) {
#pragma omp atomic write
        published = mine;
      }
      if (i == 60) {
        int *other;
#pragma omp atomic read
        other = published;
        // CHECK: race: {{.*}} on a heap block
        // CHECK: by iteration 60
        seen = other[3];
      }
    }
  }
}

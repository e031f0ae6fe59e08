// Each iteration has an element of its own.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
int a[1000], b[1000];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 1000; i++) b[i] = a[i] + i;
  return b[999] - 999;
}
// CHECK: {{^}}taskrace: no races in 1000 iterations of 4 loops, 1 parallel region
// CHECK: no schedule of this input with teams of 4 threads has a data race{{$}}

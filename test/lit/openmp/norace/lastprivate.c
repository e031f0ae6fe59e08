// Private copies on the way in and out.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
int out[100];

int main(void) {
  int last = -1, base[4] = {1, 2, 3, 4};
#pragma omp parallel for lastprivate(last) firstprivate(base)
  for (int i = 0; i < 100; i++) {
    base[i % 4]++;
    last = i;
    out[i] = base[i % 4];
  }
  return last - 99;
}
// CHECK: {{^}}taskrace: no races

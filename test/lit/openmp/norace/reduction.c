// Each thread adds up a copy of its own, and the copies are combined in turn.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
int a[100];

int main(void) {
  int sum = 0, most = 0, list[4] = {0};
#pragma omp parallel for reduction(+ : sum, list) reduction(max : most)
  for (int i = 0; i < 100; i++) {
    sum += i;
    list[i % 4] += i;
    if (i > most) most = i;
  }
  return sum == 4950 && most == 99 && list[0] + list[1] + list[2] + list[3] == sum ? 0 : 1;
}
// CHECK: {{^}}taskrace: no races

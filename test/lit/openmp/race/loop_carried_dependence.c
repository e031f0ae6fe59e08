// An iteration reads what the next one writes, on the same thread or on another.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int a[1001];

int main(void) {
  // CHECK: race: read-write on 'a'
  // CHECK: earlier: read of 4 bytes by iteration 0
  // CHECK: #0 main [parallel region] loop_carried_dependence.c:[[#@LINE+5]]:
  // CHECK: iteration 0 of the loop at loop_carried_dependence.c:[[#@LINE+3]]:
  // CHECK: by thread 0 of 4 of the parallel region at loop_carried_dependence.c:[[#@LINE+2]]:
  // CHECK: later: write of 4 bytes by iteration 1
#pragma omp parallel for
  for (int i = 0; i < 1000; i++) a[i] = a[i + 1];
}
// CHECK: {{^}}taskrace: 1 race

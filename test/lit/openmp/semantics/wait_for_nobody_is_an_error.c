// All threads wait for a flag that nobody sets.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
volatile int flag;

int main(void) {
#pragma omp parallel
  while (!flag) continue;
}
// CHECK: a thread waits in a loop for something that no other thread does
// CHECK: wait_for_nobody_is_an_error.c:8

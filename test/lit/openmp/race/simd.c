// Iterations of a simd loop may run at the same time, unless they are as far apart as its safelen says.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 -g %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O1 -g %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp-simd -O2 -g %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O3 -g %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
#include <stdio.h>
#include <string.h>
int b[1000], c[1000], d[1000], e[1000], f[1000], at[1000];

__attribute__((noinline)) void set(int* where, int value) { *where = value; }

int main(void) {
  int a[100], shared;  // nobody else has their addresses
  int n = 100;
  memset(a, 0, sizeof a);
#pragma omp simd
  for (int i = 0; i < 99; i++) a[i + 1] = a[i] + 1;
// CHECK: race: write-read on 'a'
// CHECK: by iteration 0
// CHECK: iteration 0 of the simd loop at simd.c:[[@LINE-4]]:1 in main
// CHECK: by iteration 1
#pragma omp simd safelen(5)
  for (int i = 0; i < 900; i++) b[i + 4] = b[i] + 1;
// CHECK: race: write-read on 'b'
// CHECK: iteration 0 of the simd loop
// CHECK: iteration 4 of the simd loop
#pragma omp simd
  for (int i = 0; i < n; i++) {
    shared = c[i];
    c[i] = shared + 1;
  }
  // CHECK: on 'shared'
  for (int i = 0; i < 1000; i++) at[i] = i;
  at[9] = 20;
#pragma omp simd
  for (int i = 0; i < 1000; i++) d[at[i]] = i;
// CHECK: race: write-write on 'd'
// CHECK: by iteration 9
// CHECK: by iteration 20
#pragma omp simd
  for (int i = 0; i < 900; i++) {
    set(&e[i], 1);
    if (i % 100 == 99) set(&e[i + 2], 1);
  }
// CHECK: race: write-write on 'e'
// CHECK: by iteration 99
// CHECK: by iteration 101
#pragma omp simd
  for (int i = 0; i < 900; i++) memset(&f[i], 0, 8);
  // CHECK: race: write-write on 'f'
  printf("%d %d\n", a[99], shared);
}
// CHECK: {{[67]}} races

// Two static loops of the same shape give each thread the same iterations: iteration 4 of the first is in order with iteration
// 4 of the second, and with no other one, though this team runs both on one thread.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 -g %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=2 %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=9 %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 -g %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int a[100], b[100], c[100], d[100];

// Its loop is part of whatever region calls it.
static void fill(void) {
#pragma omp for schedule(static, 2) nowait
  for (int i = 0; i < 100; i++) c[i] = i;
}

int main(void) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < 100; i++) a[i] = i;
#pragma omp for
    for (int i = 0; i < 100; i++) {
      if (i == 3) b[i] = a[i + 1];
      b[i] += a[i];
    }
    fill();
#pragma omp for schedule(static, 2)
    for (int i = 0; i < 100; i++) d[i] = c[i] + (i == 11 ? c[8] : c[i - i % 2]);
  }
  return b[3] + d[3] == 1;
}
// CHECK: race: write-read on 'a'
// CHECK: earlier: write of 4 bytes by iteration 4
// CHECK: later: read of 4 bytes by iteration 3
// CHECK: that is a[4]
// CHECK: race: write-read on 'c'
// CHECK: that is c[8]
// CHECK: 2 races

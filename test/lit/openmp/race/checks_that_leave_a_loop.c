// The checks of a worksharing loop are made before it, for all iterations; the races are those that each would find.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O2 -Rpass=taskrace %s -o %t 2>&1 | %FileCheck --check-prefix=REMARK %s
// RUN: %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=2 %not %taskrace run --engine=promises --history=intervals %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int a[1000], x[1000], y[1000], last;

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 999; ++i) a[i] = a[i + 1] + 1;
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i) x[i / 2] = i;
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i) {
    y[i] = i;
    if (i % 2) last = i;
  }
  return 0;
}
// REMARK: :11:{{.*}}write is checked before the parallel loop, as one range of 4 bytes an iteration, 4 bytes apart
// REMARK: :11:{{.*}}all checks were moved out of the parallel loop
// CHECK: race: read-write on 'a'
// CHECK: earlier: read of 4 bytes by iteration 0
// CHECK: later: write of 4 bytes by iteration 1
// CHECK: race: write-write on 'x'
// CHECK: earlier: write of 4 bytes by iteration 0
// CHECK: later: write of 4 bytes by iteration 1
// CHECK: race: write-write on 'last'
// CHECK: earlier: write of 4 bytes by iteration 1
// CHECK: later: write of 4 bytes by iteration 3
// CHECK-NOT: on 'y'
// CHECK: 3 races (1997 occurrences)

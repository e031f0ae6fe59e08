// What a lane does after its ordered block is parallel to what later lanes do before theirs, and after it.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 -g %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 -g %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int sum, after, before[101];

int main(void) {
#pragma omp simd
  for (int i = 0; i < 100; i++) {
    before[i] = i;
#pragma omp ordered simd
    { sum += before[i + 1]; }
    after = i;
  }
  return sum == 1;
}
// CHECK-DAG: on 'after'
// CHECK-DAG: race: read-write on 'before'
// CHECK: 2 races

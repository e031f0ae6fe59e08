// Iterations of other schedules are units, too.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int a[400], b[400];

int main(void) {
#pragma omp parallel for schedule(guided, 50)
  // CHECK: race: {{.*}} on 'a'
  for (int i = 0; i < 400; i++) a[i == 8 ? 7 : i] = i;
#pragma omp parallel for schedule(runtime)
  // CHECK: race: {{.*}} on 'b'
  for (int i = 0; i < 400; i++) b[i == 8 ? 7 : i] = i;
}

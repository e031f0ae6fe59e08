// A critical section excludes only threads of the same team of a league.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int sum;

int main(void) {
#pragma omp teams num_teams(2)
#pragma omp parallel num_threads(2)
#pragma omp critical
  // CHECK: race: {{.*}} on 'sum'
  sum++;
}

// Sections of different names do not exclude each other.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int sum;

int main(void) {
#pragma omp parallel sections
  {
#pragma omp section
#pragma omp critical(one)
    sum += 1;
#pragma omp section
#pragma omp critical(two)
    // CHECK: race: {{.*}} on 'sum'
    sum += 2;
  }
}

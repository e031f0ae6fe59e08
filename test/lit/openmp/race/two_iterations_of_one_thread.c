// Two iterations that any static schedule of four threads gives to one thread.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int a[1000], index_of[1000];

int main(void) {
  for (int i = 0; i < 1000; i++) index_of[i] = i;
  index_of[8] = 7;
#pragma omp parallel for
  // CHECK: race: write-write on 'a'
  // CHECK: by iteration 7
  // CHECK: by iteration 8
  for (int i = 0; i < 1000; i++) a[index_of[i]] = i;
}

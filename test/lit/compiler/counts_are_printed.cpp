// -taskrace-stats says what was emitted and what was skipped.
// RUN: %clangxx %instrument -O1 -c -mllvm -taskrace-stats %s -o %t.o 2>&1 | %FileCheck %s
int shared, other;
const int table[] = {1, 2, 3};
__thread int own;
int all(int i) {
  int numbers[8] = {};
  numbers[i] = shared;
  own = 2;
  other = 1;
  return numbers[0] + table[i];
}
// CHECK: taskrace: {{.*}}counts_are_printed.cpp: reads 1
// CHECK: writes 1
// CHECK: entries 1
// CHECK: skipped-private 3
// CHECK: skipped-constant 1
// CHECK: skipped-thread-local 1

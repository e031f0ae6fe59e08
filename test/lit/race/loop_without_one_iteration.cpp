// A loop that reaches one place in all iterations but one touches it if there is another.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O1 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int one, other;
int numbers[8];

__attribute__((noinline)) void AddAllBut(int* sum, const int* p, long n, long left_out) {
  for (long i = 0; i < n; ++i) {
    if (i != left_out) *sum += p[i];
  }
}

int main() {
  taskrace::scope s;
  // CHECK: race: write-write on 'one'
  // CHECK: #0 AddAllBut(int*, int const*, long, long) {{.*}}loop_without_one_iteration.cpp:[[#@LINE-7]]:
  s.spawn([] { AddAllBut(&one, numbers, 2, 0); });
  // CHECK: later: write of 4 bytes
  // CHECK: #0 {{.*}}loop_without_one_iteration.cpp:[[#@LINE+1]]:
  s.spawn([] { one = 1; });
  // CHECK: race: write-write on 'other'
  // CHECK: #0 AddAllBut(int*, int const*, long, long) {{.*}}loop_without_one_iteration.cpp:[[#@LINE-13]]:
  s.spawn([] { AddAllBut(&other, numbers, 1, 1); });
  // CHECK: later: write of 4 bytes
  // CHECK: #0 {{.*}}loop_without_one_iteration.cpp:[[#@LINE+1]]:
  s.spawn([] { other = 1; });
  s.sync();
}
// CHECK: {{^}}taskrace: 2 races

// The array never escapes from main but into a call, which shares it among tasks.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto=thin %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

__attribute__((noinline)) void Fill(int* a) {
  taskrace::scope s;
  // CHECK: race: write-write on 'numbers'
  // CHECK: earlier: write of 4 bytes by task 1
  s.spawn([a] { a[2] = 1; });
  // CHECK: #0{{.*}}array_given_to_callee_that_spawns.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 4 bytes by the main task
  a[2] = 2;
  // CHECK: #0{{.*}}array_given_to_callee_that_spawns.cpp:[[#@LINE-1]]:
  // CHECK: #1{{.*}} main
  s.sync();
}

int main() {
  int numbers[4] = {};
  Fill(numbers);
  return numbers[2] == 0;
}
// CHECK: where: stack variable 'numbers' (16 bytes) of function main,
// CHECK: bytes 8 to 11 of it
// CHECK: {{^}}taskrace: 1 race

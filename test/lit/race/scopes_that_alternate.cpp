// A sync of one scope does not wait for the children of another.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x, y, z;

int main() {
  taskrace::scope first, second;
  first.spawn([] { x = 1; });
  // CHECK: race: write-write on 'y'
  // CHECK: earlier: write of 4 bytes by task 2
  second.spawn([] { y = 1; });
  // CHECK: #0{{.*}}scopes_that_alternate.cpp:[[#@LINE-1]]:
  first.spawn([] { z = 1; });
  first.sync();
  // CHECK: later: write of 4 bytes by the main task
  y = 2;
  // CHECK: #0{{.*}}scopes_that_alternate.cpp:[[#@LINE-1]]:
  second.sync();
}

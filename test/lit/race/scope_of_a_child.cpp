// A child's sync waits for its own children, not for its sibling.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

int main() {
  taskrace::scope s;
  // CHECK: race: write-write on 'x'
  // CHECK: earlier: write of 4 bytes by task 1
  s.spawn([] { x = 1; });
  // CHECK: #0{{.*}}scope_of_a_child.cpp:[[#@LINE-1]]:
  s.spawn([] {
    taskrace::scope inner;
    inner.spawn([] {});
    inner.sync();
    // CHECK: later: write of 4 bytes by task 2
    x = 2;
    // CHECK: #0{{.*}}scope_of_a_child.cpp:[[#@LINE-1]]:
  });
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

// The second read is in the writer's own task; the first, in a child, must not be forgotten for it.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x, seen;

int main() {
  taskrace::scope s;
  // CHECK: race: read-write on 'x'
  // CHECK: earlier: read of 4 bytes by task 1
  s.spawn([] { seen = x; });
  // CHECK: #0{{.*}}read_read_write.cpp:[[#@LINE-1]]:
  int before = x;
  // CHECK: later: write of 4 bytes by the main task
  x = before + 1;
  // CHECK: #0{{.*}}read_read_write.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

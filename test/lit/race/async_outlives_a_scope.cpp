// A spawned task's async is still running after the sync: only the finish waits for it.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run %t 2>&1 | %FileCheck --check-prefix=ENGINE %s
// ENGINE: engine multibags, because an async may outlive the scope or loop in which it was created
#include <taskrace/tasks.hpp>

int x, y;

int main() {
  taskrace::finish([] {
    taskrace::scope s;
    s.spawn([] {
      // CHECK: race: write-write on 'x'
      // CHECK: earlier: write of 4 bytes by task 2
      taskrace::async([] { x = 1; });
      // CHECK: async_outlives_a_scope.cpp:[[#@LINE-1]]:
      y = 1;
    });
    s.sync();
    y = 2;
    // CHECK: later: write of 4 bytes by the main task
    x = 2;
    // CHECK: async_outlives_a_scope.cpp:[[#@LINE-1]]:
  });
  x = 3;
}
// CHECK: {{^}}taskrace: 1 race

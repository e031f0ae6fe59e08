// A task's own copy of a variable, which its child changes meanwhile.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int main() {
  taskrace::finish([] {
    taskrace::async([own = 1]() mutable {
      // CHECK: race: write-write
      // CHECK: earlier: write of 4 bytes by task 2
      taskrace::async([&own] { own = 2; });
      // CHECK: #0{{.*}}closure_is_shared_with_a_child.cpp:[[#@LINE-1]]:
      // CHECK: later: write of 4 bytes by task 1
      own = 3;
      // CHECK: #0{{.*}}closure_is_shared_with_a_child.cpp:[[#@LINE-1]]:
    });
  });
}
// CHECK: {{^}}taskrace: 1 race

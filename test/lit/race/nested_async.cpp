// An async of an async is waited for by the finish, not by its creator.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

int main() {
  taskrace::finish([] {
    taskrace::async([] {
      // CHECK: race: write-write on 'x'
      // CHECK: earlier: write of 4 bytes by task 2
      taskrace::async([] { x = 1; });
      // CHECK: #0{{.*}}nested_async.cpp:[[#@LINE-1]]:
      // CHECK: task 2 created at {{.*}}nested_async.cpp:[[#@LINE-2]]:
      // CHECK: by task 1 created at {{.*}}nested_async.cpp:[[#@LINE-6]]:
    });
    // CHECK: later: write of 4 bytes by the main task
    x = 2;
    // CHECK: #0{{.*}}nested_async.cpp:[[#@LINE-1]]:
  });
  x = 3;
}
// CHECK: {{^}}taskrace: 1 race

// Neither the sync nor the async's end waits for the future; the finish waits for both.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x, y;

int main() {
  taskrace::finish([] {
    taskrace::scope s;
    s.spawn([] {
      taskrace::async([] {
        x = 1;
        auto f = taskrace::make_future([] { y = 1; });
      });
    });
    s.sync();
    // CHECK: race: write-write on 'x'
    // CHECK: future_in_an_async_that_outlives_a_scope.cpp:[[#@LINE-6]]:
    // CHECK: later: write of 4 bytes by the main task
    x = 2;
    // CHECK: future_in_an_async_that_outlives_a_scope.cpp:[[#@LINE-1]]:
    // CHECK: race: write-write on 'y'
    // CHECK: future_in_an_async_that_outlives_a_scope.cpp:[[#@LINE-10]]:
    // CHECK: later: write of 4 bytes by the main task
    y = 2;
    // CHECK: future_in_an_async_that_outlives_a_scope.cpp:[[#@LINE-1]]:
  });
  x = y = 3;
}
// CHECK: {{^}}taskrace: 2 races

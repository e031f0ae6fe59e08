// One of two readers in the same series-parallel part has a future that leads to the writer: both are kept.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

taskrace::shared_future<void> inner;
int x, sink[3];

int main() {
  auto f = taskrace::make_future([] {
    taskrace::scope s;
    s.spawn([] {
      sink[0] = x;
      inner = taskrace::make_future([] {});
    });
    // CHECK: race: read-write on 'x'
    // CHECK: earlier: read of 4 bytes by task 1
    sink[1] = x;
    // CHECK: readers_of_a_spawn_and_its_future.cpp:[[#@LINE-1]]:
    s.sync();
  });
  sink[2] = x;
  TASKRACE_IGNORE_BEGIN();
  taskrace::shared_future<void> got = inner;
  TASKRACE_IGNORE_END();
  got.get();
  // CHECK: later: write of 4 bytes by the main task
  x = 1;
  // CHECK: readers_of_a_spawn_and_its_future.cpp:[[#@LINE-1]]:
}
// CHECK: {{^}}taskrace: 1 race

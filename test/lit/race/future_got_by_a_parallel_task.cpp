// A getter that does not come after the future's creator still comes after the future.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run %t 2>&1 | %FileCheck --check-prefix=ENGINE %s
// ENGINE: engine donesets,
// ENGINE-NEXT: because a future is read by a task that is not ordered after its creation
#include <taskrace/tasks.hpp>

taskrace::shared_future<int> handle;
int x, y;

int main() {
  taskrace::scope s;
  // CHECK: race: write-read on 'handle'
  // CHECK: earlier: write of 8 bytes by task 1
  s.spawn([] {
    // CHECK: future_got_by_a_parallel_task.cpp:[[#@LINE+3]]:
    // CHECK: later: read of 8 bytes by task 3
    // CHECK: future_got_by_a_parallel_task.cpp:[[#@LINE+6]]:
    handle = taskrace::make_future([] { return x = 1; });
    y = 1;
  });
  // CHECK: race: write-write on 'y'
  s.spawn([] {
    x = handle.get();
    // CHECK: future_got_by_a_parallel_task.cpp:[[#@LINE-5]]:
    // CHECK: later: write of 4 bytes by task 3
    // CHECK: future_got_by_a_parallel_task.cpp:[[#@LINE+1]]:
    y = 2;
  });
}
// CHECK: {{^}}taskrace: 2 races

// A scope does not wait for a future made inside: after the sync it still runs.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

taskrace::future<void> Start() {
  taskrace::scope s;
  taskrace::future<void> made;
  // CHECK: race: write-write on 'x'
  // CHECK: earlier: write of 4 bytes by task 2
  s.spawn([&made] { made = taskrace::make_future([] { x = 1; }); });
  // CHECK: future_outlives_its_scope.cpp:[[#@LINE-1]]:
  // CHECK: task 2 created at {{.*}}future_outlives_its_scope.cpp:[[#@LINE-2]]:
  // CHECK: by task 1 created at {{.*}}future_outlives_its_scope.cpp:[[#@LINE-3]]:{{.*}}Start
  s.sync();
  return made;
}

int main() {
  taskrace::future<void> f = Start();
  // CHECK: later: write of 4 bytes by the main task
  x = 2;
  // CHECK: #0{{.*}}future_outlives_its_scope.cpp:[[#@LINE-1]]:
  f.get();
}
// CHECK: {{^}}taskrace: 1 race

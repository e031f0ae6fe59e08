// Two tasks that were switched out are resumed one after the other, but nothing orders them.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

int main() {
  taskrace::promise<void> p;
  taskrace::finish([&] {
    taskrace::async([&] {
      p.get_future().get();
      // CHECK: race: write-write on 'x'
      // CHECK: earlier: write of 4 bytes by task 1
      x = 1;
      // CHECK: task_runs_again_after_another.cpp:[[#@LINE-1]]:
    });
    taskrace::async([&] {
      p.get_future().get();
      // CHECK: later: write of 4 bytes by task 2
      x = 2;
      // CHECK: task_runs_again_after_another.cpp:[[#@LINE-1]]:
    });
    p.set_value();
  });
  x = 3;
}
// CHECK: {{^}}taskrace: 1 race

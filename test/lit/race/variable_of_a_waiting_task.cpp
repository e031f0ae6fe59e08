// A variable on the stack of a task that waited is used once more after the task may have gone on.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int main() {
  taskrace::promise<int*> address;
  taskrace::promise<void> done;
  taskrace::finish([&] {
    taskrace::async([&] {
      int local = 1;
      address.set_value(&local);
      done.get_future().get();
    });
    int* const theirs = address.get_future().get();
    taskrace::async([theirs] { *theirs = 3; });
    // CHECK: race: write-write on 'local'
    // CHECK: earlier: write of 4 bytes by task 2
    // CHECK: variable_of_a_waiting_task.cpp:[[#@LINE-3]]:
    // CHECK: later: end of the lifetime of a variable of 4 bytes by task 1
    done.set_value();
  });
}
// CHECK: {{^}}taskrace: 1 race

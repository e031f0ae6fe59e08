// A task that gets something after it has set a promise brings no order to the promise's getters.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

int main() {
  taskrace::promise<void> p, q;
  taskrace::finish([&] {
    taskrace::async([&] {
      p.set_value();
      q.get_future().get();
    });
    taskrace::async([&] {
      // CHECK: race: write-write on 'x'
      // CHECK: earlier: write of 4 bytes by task 2
      x = 1;
      // CHECK: get_after_the_set_of_a_promise.cpp:[[#@LINE-1]]:
      q.set_value();
    });
    taskrace::async([&] {
      p.get_future().get();
      // CHECK: later: write of 4 bytes by task 3
      x = 2;
      // CHECK: get_after_the_set_of_a_promise.cpp:[[#@LINE-1]]:
    });
  });
}
// CHECK: {{^}}taskrace: 1 race

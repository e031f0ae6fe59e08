// A set that throws because the promise is set orders nothing.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

int main() {
  taskrace::promise<void> p;
  taskrace::finish([&p] {
    p.set_value();
    taskrace::async([&p] {
      // CHECK: race: write-write on 'x'
      // CHECK: earlier: write of 4 bytes by task 1
      x = 1;
      // CHECK: second_set_of_a_promise.cpp:[[#@LINE-1]]:
      try {
        p.set_value();
      } catch (const taskrace::future_error&) {
      }
    });
    p.get_future().get();
    // CHECK: later: write of 4 bytes by the main task
    x = 2;
    // CHECK: second_set_of_a_promise.cpp:[[#@LINE-1]]:
  });
}
// CHECK: {{^}}taskrace: 1 race

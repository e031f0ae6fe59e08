// What the setter does after the set is parallel to the getters.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x, y;

int main() {
  taskrace::promise<void> p;
  taskrace::async([f = p.get_future()] {
    f.get();
    // CHECK: race: write-write on 'x'
    // CHECK: earlier: write of 4 bytes by task 1
    x = 1;
    // CHECK: after_the_set_of_a_promise.cpp:[[#@LINE-1]]:
    y = 1;
  });
  y = 2;
  p.set_value();
  // CHECK: later: write of 4 bytes by the main task
  x = 2;
  // CHECK: after_the_set_of_a_promise.cpp:[[#@LINE-1]]:
}
// CHECK: {{^}}taskrace: 1 race

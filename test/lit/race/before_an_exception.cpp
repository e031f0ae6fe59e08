// A task that throws has raced all the same.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

int main() {
  try {
    taskrace::scope s;
    // CHECK: race: write-write on 'x'
    // CHECK: earlier: write of 4 bytes by task 1
    s.spawn([] {
      x = 1;
      // CHECK: #0{{.*}}before_an_exception.cpp:[[#@LINE-1]]:
      throw 1;
    });
    // CHECK: later: write of 4 bytes by the main task
    x = 2;
    // CHECK: #0{{.*}}before_an_exception.cpp:[[#@LINE-1]]:
    s.sync();
  } catch (int) {
    x = 3;
  }
}
// CHECK: {{^}}taskrace: 1 race

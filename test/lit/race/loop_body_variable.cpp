// A variable of the loop's body is gone when the next iteration begins; its task may still run.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int sum[2];

int main() {
  taskrace::scope s;
  for (int i = 0; i < 2; ++i) {
    // CHECK: race: read-write on 'square'
    int square = i * i;
    // CHECK: earlier: read of 4 bytes by task 1
    s.spawn([&square, i] { sum[i] = square; });
    // CHECK: #0{{.*}}loop_body_variable.cpp:[[#@LINE-1]]:
    // CHECK: later: end of the lifetime of a variable of 4 bytes by the main task
  }
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

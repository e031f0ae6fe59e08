// The call returns, the async that it started goes on.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

__attribute__((noinline)) void Start() {
  // CHECK: race: write-read on 'x'
  // CHECK: earlier: write of 4 bytes by task 1
  taskrace::async([] { x = 1; });
  // CHECK: #0{{.*}}async_in_a_callee.cpp:[[#@LINE-1]]:
}

int main() {
  int seen = 0;
  taskrace::finish([&] {
    Start();
    // CHECK: later: read of 4 bytes by the main task
    seen = x;
    // CHECK: #0{{.*}}async_in_a_callee.cpp:[[#@LINE-1]]:
  });
  return seen != 1;
}
// CHECK: {{^}}taskrace: 1 race

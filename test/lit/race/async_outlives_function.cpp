// A function returns while its async still uses its variable: only the finish further out waits.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

__attribute__((noinline)) void Start() {
  int local = 0;
  // CHECK: race: write-write on 'local'
  // CHECK: earlier: write of 4 bytes by task 1
  taskrace::async([&local] { local = 1; });
  // CHECK: #0{{.*}}async_outlives_function.cpp:[[#@LINE-1]]:
  // CHECK: later: end of the lifetime of a variable of 4 bytes by the main task
  // CHECK: #0 Start()
}

int main() {
  taskrace::finish([] { Start(); });
}
// CHECK: stack variable 'local' (4 bytes) of function Start()
// CHECK: {{^}}taskrace: 1 race

// The block that owns the variable ends before the task that writes it is waited for.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int main() {
  taskrace::scope s;
  {
    int result = 0;
    // CHECK: race: write-write on 'result'
    // CHECK: earlier: write of 4 bytes by task 1
    s.spawn([&result] { result = 1; });
    // CHECK: #0{{.*}}stack_variable_after_scope.cpp:[[#@LINE-1]]:
    // CHECK: later: end of the lifetime of a variable of 4 bytes by the main task
  }
  s.sync();
}
// CHECK: stack variable 'result' (4 bytes) of function main
// CHECK: {{^}}taskrace: 1 race

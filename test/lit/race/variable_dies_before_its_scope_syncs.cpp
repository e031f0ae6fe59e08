// Destructors run in reverse order: the variable is gone when the scope's destructor waits.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

__attribute__((noinline)) void Count() {
  taskrace::scope s;
  int count = 0;
  // CHECK: race: write-write on 'count'
  // CHECK: earlier: write of 4 bytes by task 1
  s.spawn([&count] { count = 1; });
  // CHECK: #0{{.*}}variable_dies_before_its_scope_syncs.cpp:[[#@LINE-1]]:
  // CHECK: later: end of the lifetime of a variable of 4 bytes by the main task
}

int main() { Count(); }
// CHECK: stack variable 'count' (4 bytes) of function Count()
// CHECK: {{^}}taskrace: 1 race

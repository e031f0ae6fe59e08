// After the ignored region, accesses count again.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/annotate.h>

#include <taskrace/tasks.hpp>

int hint;

int main() {
  taskrace::scope s;
  // CHECK: race: write-write on 'hint'
  // CHECK: earlier: write of 4 bytes by task 1
  s.spawn([] {
    TASKRACE_IGNORE_BEGIN();
    static_cast<volatile int&>(hint) = 1;
    TASKRACE_IGNORE_END();
    hint = 2;
    // CHECK: #0{{.*}}ignored_region_ends.cpp:[[#@LINE-1]]:
  });
  // CHECK: later: write of 4 bytes by task 2
  s.spawn([] { hint = 3; });
  // CHECK: #0{{.*}}ignored_region_ends.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

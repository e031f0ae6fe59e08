// A suppressed race does not count; the rules that matched are told, and those that did not.
// RUN: cd %S
// RUN: echo "race:Remember" > %t.rules && echo "race_var:nothing" >> %t.rules
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t
// RUN: %taskrace run --suppressions=%t.rules %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t
// RUN: %taskrace run --suppressions=%t.rules %t 2>&1 | %FileCheck %s
// RUN: echo "race_var:hint" > %t.rules && %taskrace run --suppressions=%t.rules %t
// RUN: echo "race:suppressed.cpp:20" > %t.rules && %taskrace run --suppressions=%t.rules %t
// RUN: echo "task:main" > %t.rules && %taskrace run --suppressions=%t.rules %t
// RUN: echo "race:suppressed.cpp:19" > %t.rules && %not %taskrace run --suppressions=%t.rules %t
// CHECK-DAG: race:Remember
// CHECK-DAG: race_var:nothing
// CHECK: {{^}}taskrace: no races
#include <taskrace/tasks.hpp>

int hint;

// The rules above name this line by its number.
__attribute__((noinline)) void Remember(int i) { hint = i; }

int main() {
  taskrace::parallel_for(0, 3, [](int i) { Remember(i); });
}

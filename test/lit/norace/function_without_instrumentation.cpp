// The attribute hides a function's own accesses.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/annotate.h>

#include <taskrace/tasks.hpp>

int hint;

TASKRACE_NO_INSTRUMENT __attribute__((noinline)) void Remember(int i) { hint = i; }

int main() {
  taskrace::parallel_for(0, 3, [](int i) { Remember(i); });
}
// CHECK: {{^}}taskrace: no races in {{3 tasks|3 iterations of 1 loop}}

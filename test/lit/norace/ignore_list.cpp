// A list by function and by file, in the sanitizers' format.
// RUN: cd %S
// RUN: echo "fun:*Remember*" > %t.functions
// RUN: echo "src:*ignore_list.cpp" > %t.sources
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t
// RUN: %taskrace c++ -O0 -ftaskrace-ignorelist=%t.functions %s -o %t
// RUN: %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -ftaskrace-ignorelist=%t.functions %s -o %t
// RUN: %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -ftaskrace-ignorelist=%t.sources %s -o %t
// RUN: %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int hint;

__attribute__((noinline)) void Remember(int i) { hint = i; }

int main() {
  taskrace::parallel_for(0, 3, [](int i) { Remember(i); });
}
// CHECK: {{^}}taskrace: no races in {{3 tasks|3 iterations of 1 loop}}

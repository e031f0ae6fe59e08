// Asyncs outside of every finish end before the destructors of globals that were made earlier.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

struct Counter {
  int value = 0;
  ~Counter() { value = -1; }
} counter;

int main() {
  taskrace::async([] { counter.value = 1; });
}
// CHECK: {{^}}taskrace: no races in 1 task,

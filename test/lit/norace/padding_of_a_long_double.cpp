// A long double has ten bytes of value; what lies in the other six is somebody else's.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

union Slot {
  long double number;
  char bytes[16];
} slot;

int main() {
  taskrace::scope s;
  s.spawn([] { slot.number = 1; });
  s.spawn([] { slot.bytes[10] = 2; });
  s.sync();
}
// CHECK: {{^}}taskrace: no races in 2 tasks

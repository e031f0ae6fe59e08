// A field of width 0 begins a new unit: the two can be written in parallel.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

struct Flags {
  unsigned low : 4;
  unsigned : 0;
  unsigned high : 4;
} flags;

int main() {
  taskrace::scope s;
  s.spawn([] { flags.low = 3; });
  s.spawn([] { flags.high = 5; });
  s.sync();
  return flags.low + flags.high != 8;
}
// CHECK: {{^}}taskrace: no races in 2 tasks

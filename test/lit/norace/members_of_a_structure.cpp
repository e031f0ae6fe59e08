// Each task has a member of its own.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

struct Record {
  char kind;
  short length;
  int value;
  double weight;
} record;

int main() {
  taskrace::scope s;
  s.spawn([] { record.kind = 1; });
  s.spawn([] { record.length = 2; });
  s.spawn([] { record.value = 3; });
  s.spawn([] { record.weight = 4; });
  s.sync();
}
// CHECK: {{^}}taskrace: no races in 4 tasks

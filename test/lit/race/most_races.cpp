// No more reports than asked for, all races counted.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run --max_races=1 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run --max_races=1 %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x, y;

int main() {
  taskrace::scope s;
  s.spawn([] {
    x = 1;
    y = 1;
  });
  s.spawn([] {
    x = 2;
    y = 2;
  });
  s.sync();
}
// CHECK: race: write-write on 'x'
// CHECK-NOT: on 'y'
// CHECK: {{^}}taskrace: note: 1 more report left out
// CHECK: {{^}}taskrace: 2 races (2 occurrences)

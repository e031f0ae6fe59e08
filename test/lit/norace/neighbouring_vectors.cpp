// Vectors of 32 bytes side by side, and a scalar after the last.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

typedef float Vector __attribute__((ext_vector_type(8)));
alignas(32) float a[17];

int main() {
  taskrace::scope s;
  s.spawn([] { *reinterpret_cast<Vector*>(a) = Vector(1); });
  s.spawn([] { *reinterpret_cast<Vector*>(a + 8) = Vector(2); });
  s.spawn([] { a[16] = 3; });
  s.sync();
  return a[16] != 3;
}
// CHECK: {{^}}taskrace: no races in 3 tasks

// Bytes of one word belong to different tasks.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto=thin %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

alignas(8) char bytes[8];

int main() {
  taskrace::scope s;
  for (int i = 0; i < 8; ++i) s.spawn([i] { bytes[i] = char(i); });
  s.sync();
  for (int i = 0; i < 8; ++i) {
    if (bytes[i] != i) return 1;
  }
}
// CHECK: {{^}}taskrace: no races in 8 tasks

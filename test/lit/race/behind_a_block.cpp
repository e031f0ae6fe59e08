// An index out of bounds: the report says how far behind which block the bytes are.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int main() {
  int* numbers = new int[4096];
  taskrace::scope s;
  s.spawn([=] { numbers[4100] = 1; });
  // CHECK: earlier: write of 4 bytes by task 1
  // CHECK: #0{{.*}}behind_a_block.cpp:[[#@LINE-2]]:
  numbers[4100] = 2;
  // CHECK: later: write of 4 bytes by the main task
  // CHECK: #0 main behind_a_block.cpp:[[#@LINE-2]]:
  s.sync();
  // CHECK: where: memory at 0x{{[0-9a-f]+}},
  // CHECK-NEXT: 16 bytes past the end of a heap block of 16384 bytes allocated at behind_a_block.cpp:8
}

// Iterations of one chunk are in order; the first of the next chunk is not.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[9];

int main() {
  // CHECK: race: read-write on 'a'
  // CHECK: earlier: read of {{4|16}} bytes by iteration 0
  taskrace::parallel_for(0, 8, 4, [](int i) { a[i] = a[i + 1] + 1; });
  // CHECK: #0{{.*}}parallel_for_chunks.cpp:[[#@LINE-1]]:
  // CHECK: later: write of {{4|16}} bytes by iteration 1
}
// CHECK: bytes 16 to 19 of it
// CHECK-NOT: Seen
// CHECK: {{^}}taskrace: 1 race

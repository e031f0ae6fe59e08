// A task writes two bytes that its creator reads.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <cstdint>
#include <taskrace/tasks.hpp>

std::uint16_t x[4];

int main() {
  taskrace::scope s;
  // CHECK: race: write-read on 'x'
  // CHECK: earlier: write of 2 bytes by task 1
  s.spawn([] { x[1] = 7; });
  // CHECK: #0{{.*}}two_bytes.cpp:[[#@LINE-1]]:
  // CHECK: later: read of 2 bytes by the main task
  int seen = x[1];
  // CHECK: #0{{.*}}two_bytes.cpp:[[#@LINE-1]]:
  s.sync();
  return seen != 7;
}
// CHECK: bytes 2 to 3 of it
// CHECK: {{^}}taskrace: 1 race

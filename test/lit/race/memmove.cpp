// memmove within one array: both its halves are read or written.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <cstring>
#include <taskrace/tasks.hpp>

char block[64];

int main(int count, char**) {
  taskrace::scope s;
  // CHECK: race: write-write on 'block'
  // CHECK: earlier: write of 31 bytes
  s.spawn([=] { std::memmove(block + 1, block, 30 + count); });
  // CHECK: #0{{.*}}memmove.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 1 byte
  s.spawn([] { block[31] = 1; });
  // CHECK: #0{{.*}}memmove.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

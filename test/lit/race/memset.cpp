// memset of a length that only the run knows.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <cstring>
#include <taskrace/tasks.hpp>

char block[64];

int main(int count, char**) {
  taskrace::scope s;
  // CHECK: race: write-write on 'block'
  // CHECK: earlier: write of 20 bytes
  s.spawn([=] { std::memset(block + 10, 0, 19 + count); });
  // CHECK: #0{{.*}}memset.cpp:[[#@LINE-1]]:
  s.spawn([] { block[9] = 1; });
  // CHECK: later: write of 1 byte
  s.spawn([] { block[10] = 1; });
  // CHECK: #0{{.*}}memset.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: byte 10 of it
// CHECK: {{^}}taskrace: 1 race

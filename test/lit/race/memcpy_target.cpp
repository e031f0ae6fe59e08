// A block copy writes a byte that another task reads; its last byte counts, the one after does not.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <cstring>
#include <taskrace/tasks.hpp>

char target[64];
char source[64];
int last, next;

int main(int count, char**) {
  taskrace::scope s;
  // CHECK: race: write-read on 'target'
  // CHECK: earlier: write of 37 bytes
  s.spawn([=] { std::memcpy(target, source, 36 + count); });
  // CHECK: #0{{.*}}memcpy_target.cpp:[[#@LINE-1]]:
  // CHECK: later: read of 1 byte
  s.spawn([] { last = target[36]; });
  // CHECK: #0{{.*}}memcpy_target.cpp:[[#@LINE-1]]:
  s.spawn([] { next = target[37]; });
  s.sync();
}
// CHECK: byte 36 of it
// CHECK: {{^}}taskrace: 1 race

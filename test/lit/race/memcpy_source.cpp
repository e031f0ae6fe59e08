// A block copy reads what another task writes.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <cstring>
#include <taskrace/tasks.hpp>

char target[64];
char source[64];

int main() {
  taskrace::scope s;
  // CHECK: race: read-write on 'source'
  // CHECK: earlier: read of 48 bytes
  s.spawn([] { std::memcpy(target, source, 48); });
  // CHECK: #0{{.*}}memcpy_source.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 1 byte
  s.spawn([] { source[47] = 1; });
  // CHECK: #0{{.*}}memcpy_source.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

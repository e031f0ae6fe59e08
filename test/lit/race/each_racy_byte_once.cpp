// By address: the reports together cover exactly the racy bytes, here 2 to 5 and 9.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run --dedup=address %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run --dedup=address %t 2>&1 | %FileCheck %s
#include <cstring>
#include <taskrace/tasks.hpp>

char bytes[16];

int main() {
  taskrace::scope s;
  s.spawn([] { std::memset(bytes, 1, 6); });
  s.spawn([] { std::memset(bytes + 2, 2, 4); });
  s.spawn([] { bytes[3] = 3; });
  s.spawn([] { bytes[9] = 4; });
  s.spawn([] { bytes[9] = 5; });
  s.sync();
}
// CHECK: bytes 2 to 5 of it
// CHECK: byte 9 of it
// CHECK: {{^}}taskrace: 2 races

// memcpy, memmove and memset up to the byte where the next one begins.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <cstring>
#include <taskrace/tasks.hpp>

char block[64];

int main(int one, char**) {
  taskrace::scope s;
  s.spawn([=] { std::memset(block, 1, 9 + one); });
  s.spawn([=] { std::memcpy(block + 10, block + 50, 9 + one); });
  s.spawn([=] { std::memmove(block + 20, block + 25, 9 + one); });
  s.spawn([=] { std::memset(block + 35, 1, 14 + one); });
  s.spawn([=] { std::memset(block, 1, one - 1); });
  s.sync();
}
// CHECK: {{^}}taskrace: no races in 5 tasks

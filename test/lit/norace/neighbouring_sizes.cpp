// 1, 2, 4 and 8 bytes side by side, none aligned, across the borders of words.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <cstdint>
#include <cstring>
#include <taskrace/tasks.hpp>

alignas(16) unsigned char bytes[32];

template <class Number>
void Store(int at) {
  const Number number = Number(-1);
  std::memcpy(bytes + at, &number, sizeof number);
}

int main() {
  taskrace::scope s;
  s.spawn([] { Store<std::uint8_t>(1); });
  s.spawn([] { Store<std::uint64_t>(2); });
  s.spawn([] { Store<std::uint16_t>(10); });
  s.spawn([] { Store<std::uint32_t>(12); });
  s.spawn([] { Store<std::uint64_t>(16); });
  s.spawn([] { Store<std::uint16_t>(24); });
  s.sync();
}
// CHECK: {{^}}taskrace: no races in 6 tasks

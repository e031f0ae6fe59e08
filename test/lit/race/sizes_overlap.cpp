// Accesses of different sizes that share their last two bytes only.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <cstdint>
#include <cstring>
#include <taskrace/tasks.hpp>

alignas(8) unsigned char bytes[16];

int main() {
  taskrace::scope s;
  // CHECK: race: write-write on 'bytes'
  // CHECK: earlier: write of 8 bytes
  s.spawn([] { *reinterpret_cast<volatile std::uint64_t*>(bytes) = 1; });
  // CHECK: #0{{.*}}sizes_overlap.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 4 bytes
  s.spawn([] { *reinterpret_cast<volatile std::uint32_t*>(bytes + 6) = 2; });
  // CHECK: #0{{.*}}sizes_overlap.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: bytes 6 to 7 of it
// CHECK: {{^}}taskrace: 1 race

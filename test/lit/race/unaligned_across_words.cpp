// An unaligned read whose only shared byte lies in the second word that it touches.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <cstdint>
#include <cstring>
#include <taskrace/tasks.hpp>

alignas(16) unsigned char bytes[32];

int main() {
  std::uint64_t seen = 0;
  taskrace::scope s;
  // CHECK: race: write-read on 'bytes'
  // CHECK: earlier: write of 1 byte
  s.spawn([] { bytes[12] = 1; });
  // CHECK: #0{{.*}}unaligned_across_words.cpp:[[#@LINE-1]]:
  // CHECK: later: read of 8 bytes
  std::memcpy(&seen, bytes + 5, sizeof seen);
  // CHECK: #0{{.*}}unaligned_across_words.cpp:[[#@LINE-1]]:
  s.sync();
  return seen == 0;
}
// CHECK: byte 12 of it
// CHECK: {{^}}taskrace: 1 race

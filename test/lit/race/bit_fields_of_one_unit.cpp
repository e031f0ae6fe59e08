// Two bit-fields share a byte: writing one rewrites the other.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

struct Flags {
  unsigned char low : 4;
  unsigned char high : 4;
} flags;

int main() {
  taskrace::scope s;
  // CHECK: race: write-{{read|write}} on 'flags'
  // CHECK: earlier: write of 1 byte
  s.spawn([] { flags.low = 3; });
  // CHECK: #0{{.*}}bit_fields_of_one_unit.cpp:[[#@LINE-1]]:
  // CHECK: later: {{read|write}} of 1 byte
  s.spawn([] { flags.high = 5; });
  // CHECK: #0{{.*}}bit_fields_of_one_unit.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

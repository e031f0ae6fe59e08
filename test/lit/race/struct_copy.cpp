// Copying a structure reads all its members.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

struct Record {
  long key;
  char text[48];
  int value;
} record, copy;

int main() {
  taskrace::scope s;
  // CHECK: race: write-read on 'record'
  // CHECK: earlier: write of 4 bytes
  s.spawn([] { record.value = 1; });
  // CHECK: #0{{.*}}struct_copy.cpp:[[#@LINE-1]]:
  // CHECK: later: read of 64 bytes
  copy = record;
  // CHECK: #0{{.*}}struct_copy.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: bytes 56 to 59 of it
// CHECK: {{^}}taskrace: 1 race

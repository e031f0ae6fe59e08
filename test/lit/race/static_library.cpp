// The race is in an archive, written in C and compiled by `taskrace cc`.
// RUN: cd %S
// RUN: %taskrace cc -O0 -c %S/Inputs/counter.c -o %t.o && ar rcs %t.a %t.o
// RUN: %taskrace c++ -O0 %s %t.a -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -O2 -c %S/Inputs/counter.c -o %t.o && rm %t.a && ar rcs %t.a %t.o
// RUN: %taskrace c++ -O2 %s %t.a -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

#include "Inputs/counter.h"

int main() {
  taskrace::scope s;
  // CHECK: race: write-write on 'counter_value'
  // CHECK: #0 CountOne {{.*}}counter.c:5:
  s.spawn([] { CountOne(); });
  // CHECK: #{{.*}}static_library.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 4 bytes
  // CHECK: #0 CountOne {{.*}}counter.c:5:
  s.spawn([] { CountOne(); });
  // CHECK: #{{.*}}static_library.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: global variable 'counter_value' (4 bytes), declared at Inputs/counter.c:3
// CHECK: {{^}}taskrace: 1 race

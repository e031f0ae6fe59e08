// Two tasks write one byte.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto=thin %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

char x;

int main() {
  taskrace::scope s;
  // CHECK: race: write-write on 'x'
  // CHECK: earlier: write of 1 byte by task 1
  s.spawn([] { x = 1; });
  // CHECK: #0{{.*}}byte.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 1 byte by task 2
  s.spawn([] { x = 2; });
  // CHECK: #0{{.*}}byte.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: where: global variable 'x' (1 byte), declared at {{.*}}byte.cpp:[[#@LINE-13]]
// CHECK: {{^}}taskrace: 1 race

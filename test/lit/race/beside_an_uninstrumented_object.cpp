// An object of an ordinary compiler was linked in: what it does is unseen, and the report says so.
// RUN: cd %S
// RUN: %clang -g -O0 -c %S/Inputs/counter.c -o %t.o
// RUN: %taskrace c++ -O0 %s %t.o -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s %t.o -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

#include "Inputs/counter.h"

int x;

int main() {
  taskrace::scope s;
  // CHECK: race: write-write on 'x'
  s.spawn([] {
    CountOne();
    x = 1;
    // CHECK: #0{{.*}}beside_an_uninstrumented_object.cpp:[[#@LINE-1]]:
  });
  // CHECK: later: write of 4 bytes
  s.spawn([] {
    CountOne();
    x = 2;
    // CHECK: #0{{.*}}beside_an_uninstrumented_object.cpp:[[#@LINE-1]]:
  });
  s.sync();
}
// CHECK: warning: {{.*}}not compiled with taskrace
// CHECK: counter.c
// CHECK: {{^}}taskrace: 1 race

// Both accesses are in functions that only the link-time optimiser sees together.
// RUN: cd %S
// RUN: %taskrace c++ -O2 -flto=thin -c %s -o %t.o
// RUN: %taskrace cc -O2 -flto=thin -c %S/Inputs/counter.c -o %t.c.o
// RUN: %taskrace c++ -O2 -flto=thin %t.o %t.c.o -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto -c %s -o %t.o
// RUN: %taskrace cc -O2 -flto -c %S/Inputs/counter.c -o %t.c.o
// RUN: %taskrace c++ -O2 -flto %t.o %t.c.o -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

#include "Inputs/counter.h"

extern "C" int counter_value;

int main() {
  taskrace::scope s;
  // CHECK: race: write-write on 'counter_value'
  // CHECK: #0 CountOne {{.*}}counter.c:5:
  s.spawn([] { CountOne(); });
  // CHECK: #{{.*}}across_translation_units.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 4 bytes by the main task
  counter_value = 2;
  // CHECK: #0{{.*}}across_translation_units.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

// An object of an ordinary compiler that is linked first has regions, too: they are not those of this file.
// RUN: %clangxx %include -O0 -c %S/Inputs/ignores_in_plain_build.cpp -o %t.o
// RUN: %taskrace c++ -O0 %t.o %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/annotate.h>
#include <taskrace/tasks.hpp>

int Plain(int x);
int shared_value;

int main() {
  taskrace::parallel_for(0, 4, [](int i) {
    taskrace::ignore_region region;
    shared_value = i;
  });
  return Plain(0);
}
// CHECK-NOT: race: write
// CHECK: no races in 4 iterations of 1 loop

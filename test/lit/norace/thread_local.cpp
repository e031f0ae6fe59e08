// In a parallel run each worker has its own; that tasks of one worker share it is no race.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

thread_local int scratch;
thread_local int buffer[8];

__attribute__((noinline)) void Fill(int* p) { p[3] = scratch; }

int main() {
  taskrace::parallel_for(0, 4, [](int i) {
    scratch = i;
    Fill(buffer);
  });
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}

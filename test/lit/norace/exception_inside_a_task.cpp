// Each task throws and catches; the frames it left are used again by the next.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

__attribute__((noinline)) void Touch(int* p) { p[0] = p[7] = 1; }

__attribute__((noinline)) void Dig(int depth) {
  int frame[8];
  Touch(frame);
  if (depth == 0) throw depth;
  Dig(depth - 1);
  Touch(frame);
}

int main() {
  taskrace::parallel_for(0, 4, [](int) {
    try {
      Dig(5);
    } catch (int) {
    }
  });
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}

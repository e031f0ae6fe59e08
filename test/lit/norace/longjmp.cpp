// longjmp leaves frames without their ends; parallel tasks use the same stack afterwards.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <csetjmp>
#include <taskrace/tasks.hpp>

std::jmp_buf back[4];

__attribute__((noinline)) void Touch(int* p) { p[0] = p[7] = 1; }

__attribute__((noinline)) void Dig(int task, int depth) {
  int frame[8];
  Touch(frame);
  if (depth == 0) std::longjmp(back[task], 1);
  Dig(task, depth - 1);
  Touch(frame);
}

__attribute__((noinline)) void Run(int task) {
  if (setjmp(back[task]) == 0) Dig(task, 5);
}

int main() {
  taskrace::parallel_for(0, 4, [](int i) {
    Run(i);
    int frame[8];
    Touch(frame);
  });
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}

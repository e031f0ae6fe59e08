// A block freed by one task is given to a parallel one: the memory is new.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <cstdlib>
#include <taskrace/tasks.hpp>

void* blocks[4];

int main() {
  taskrace::parallel_for(0, 4, [](int i) {
    int* p = static_cast<int*>(std::malloc(64));
    p[0] = i;
    p[15] = i;
    blocks[i] = p;
    std::free(p);
  });
  // Without reuse the program shows nothing.
  return blocks[0] != blocks[1];
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}

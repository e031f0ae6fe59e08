// Variables of blocks that follow each other may share their place.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int results[3];

void Use(int* p, int which) {
  taskrace::scope s;
  s.spawn([=] { p[0] = which; });
  s.sync();
  results[which] = p[0];
}

int main() {
  taskrace::parallel_for(0, 3, [](int i) {
    {
      int first[4];
      Use(first, i);
    }
    {
      int second[4];
      Use(second, i);
    }
  });
  return results[2] != 2;
}
// CHECK: {{^}}taskrace: no races in {{9 tasks|3 iterations of 1 loop, 9 tasks}}

// Accesses that stay in a parallel loop, with others beside them that no other iteration makes.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --history=intervals %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --exec=parallel --threads=2 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int next[100], flags[100];
int source[100], gathered[100], chosen[100], scattered[100];

int main() {
  for (int i = 0; i < 100; ++i) {
    next[i] = (i * 7 + 1) % 100;
    flags[i] = i % 3 == 0;
  }
  taskrace::parallel_for(0, 100, [](int i) { gathered[i] = source[next[i]] + 1; });
  taskrace::parallel_for(0, 100, [](int i) {
    if (flags[i] == 0) chosen[i] = chosen[i] + source[i];
  });
  taskrace::parallel_for(0, 100, [](int i) {
    if (flags[i] != 0) chosen[i] = gathered[next[i]];
  });
  taskrace::parallel_for(0, 100, [](int i) { scattered[next[i]] = gathered[i]; });
  return scattered[1] - gathered[0];
}
// CHECK: {{^}}taskrace: no races in

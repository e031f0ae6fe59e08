// Accesses of unknown address and accesses under a condition stay in a parallel loop, and are compared with what left it.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --history=intervals %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int next[100], flags[100];
int gathered[100], chosen[101], kept[101], scattered[100], out[100];

int main() {
  for (int i = 0; i < 100; ++i) {
    next[i] = (i + 1) % 100;
    flags[i] = i % 3 == 0;
  }
  // CHECK-DAG: race: {{.*}} on 'gathered'
  taskrace::parallel_for(0, 100, [](int i) { gathered[i] = gathered[next[i]] + 1; });
  // CHECK-DAG: race: {{.*}} on 'chosen'
  taskrace::parallel_for(0, 100, [](int i) {
    if (flags[i] == 0) chosen[i] = chosen[i + 1] + 1;
  });
  // CHECK-DAG: race: {{.*}} on 'kept'
  taskrace::parallel_for(0, 100, [](int i) {
    kept[i] = i;
    if (flags[i] != 0) out[i] = kept[i + 1];
  });
  // CHECK-DAG: race: {{.*}} on 'scattered'
  taskrace::parallel_for(0, 100, [](int i) {
    if (flags[i] != 0) scattered[i] = i;
    out[i] = scattered[next[i]];
  });
}
// CHECK: {{^}}taskrace: 4 races

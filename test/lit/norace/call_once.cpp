// What call_once did, its callers may read.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <mutex>
#include <taskrace/tasks.hpp>

std::once_flag once;
int value;
int seen[3];

int main() {
  taskrace::parallel_for(0, 3, [](int i) {
    std::call_once(once, [] { value = 7; });
    seen[i] = value;
  });
  return seen[2] != 7;
}
// CHECK: {{^}}taskrace: no races in {{3 tasks|3 iterations of 1 loop}}

// Calls and copies of a shared std::function only read it.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <functional>
#include <taskrace/tasks.hpp>

int main() {
  int base[20] = {1};
  const std::function<int(int)> add = [base](int i) { return base[0] + i; };
  int results[4];
  taskrace::parallel_for(0, 4, [&](int i) {
    std::function<int(int)> copy = add;
    results[i] = copy(i) + add(i);
  });
  return results[3] != 8;
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}

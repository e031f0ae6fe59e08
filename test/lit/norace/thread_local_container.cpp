// What a thread_local container holds is as much the task's own as the container is, inlined or not.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O1 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --exec=parallel --threads=2 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <memory>
#include <taskrace/tasks.hpp>
#include <vector>

thread_local std::vector<int> numbers;
thread_local std::unique_ptr<int> number;

int main() {
  taskrace::parallel_for(0, 8, [](int i) {
    for (int k = 0; k < 3; ++k) numbers.push_back(i + k);
    numbers.back() = i;
    if (!number) number = std::make_unique<int>(7);
    *number += i;
  });
}
// CHECK: {{^}}taskrace: no races in {{8 tasks|8 iterations of 1 loop}}

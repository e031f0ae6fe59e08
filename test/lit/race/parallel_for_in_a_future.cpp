// The iterations of a loop race with each other wherever the loop runs.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int sum;

int main() {
  auto f = taskrace::make_future([] {
    // CHECK: race: write-write on 'sum'
    // CHECK: earlier: write of 4 bytes by iteration 0
    // CHECK: parallel_for_in_a_future.cpp:[[#@LINE+3]]:
    // CHECK: later: write of 4 bytes by iteration 1
    // CHECK: parallel_for_in_a_future.cpp:[[#@LINE+1]]:
    taskrace::parallel_for(0, 3, [](int i) { sum = i; });
    return sum;
  });
  return f.get() == 7;
}

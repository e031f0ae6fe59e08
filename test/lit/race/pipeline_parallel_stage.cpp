// Two items in a parallel stage race with each other.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=lattice2d %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <optional>
#include <taskrace/tasks.hpp>

int asked, last;

int main() {
  taskrace::pipeline(
      []() -> std::optional<int> {
        if (asked == 3) return std::nullopt;
        return ++asked;
      },
      taskrace::parallel([](int item) {
        // CHECK: race: write-write on 'last'
        // CHECK: earlier: write of 4 bytes by task 1
        // CHECK: pipeline_parallel_stage.cpp:[[#@LINE+3]]:
        // CHECK: later: write of 4 bytes by task 3
        // CHECK: pipeline_parallel_stage.cpp:[[#@LINE+1]]:
        last = item;
        return item;
      }),
      taskrace::serial([](int) {}));
  last = 0;
}
// CHECK: {{^}}taskrace: 1 race

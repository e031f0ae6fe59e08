// Two stages run in parallel, on different items: what both use is in a race.
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

int asked, x;

int main() {
  taskrace::pipeline(
      []() -> std::optional<int> {
        if (asked == 2) return std::nullopt;
        return ++asked;
      },
      taskrace::serial([](int item) {
        // CHECK: race: write-write on 'x'
        // CHECK: earlier: write of 4 bytes by task 2
        // CHECK: pipeline_stages.cpp:[[#@LINE+7]]:
        // CHECK: later: write of 4 bytes by task 3
        // CHECK: pipeline_stages.cpp:[[#@LINE+1]]:
        x = item;
        return item;
      }),
      taskrace::serial([](int item) {
        x = -item;
      }));
  x = 0;
}
// CHECK: {{^}}taskrace: 1 race

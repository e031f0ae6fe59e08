// The source goes on while its items are under way.
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
        // CHECK: race: read-write on 'asked'
        // CHECK: earlier: read of 4 bytes by task 1
        // CHECK: pipeline_source.cpp:[[#@LINE+6]]:
        // CHECK: later: write of 4 bytes by the main task
        // CHECK: pipeline_source.cpp:[[#@LINE+1]]:
        ++asked;
        return asked < 3 ? std::optional<int>(1) : std::nullopt;
      },
      taskrace::serial([](int item) { last = item + asked; }));
}
// CHECK: {{^}}taskrace: 1 race

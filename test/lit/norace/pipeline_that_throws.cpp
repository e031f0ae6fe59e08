// An exception leaves the pipeline when what was under way is over.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=lattice2d %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <optional>
#include <stdexcept>
#include <taskrace/tasks.hpp>

int asked, through;

int main() {
  try {
    taskrace::pipeline(
        []() -> std::optional<int> { return ++asked; },
        taskrace::parallel([](int item) {
          if (item == 3) throw std::runtime_error("the third");
          return item;
        }),
        taskrace::serial([](int) { ++through; }));
  } catch (const std::runtime_error&) {
    return asked != 3 || through != 2;
  }
  return 1;
}
// CHECK: {{^}}taskrace: no races in 6 tasks

// A serial stage sees one item at a time, in order: it may use what it likes.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=lattice2d %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
// RUN: %taskrace run %t 2>&1 | %FileCheck --check-prefix=ENGINE %s
// ENGINE: engine lattice2d, because the program uses only pipelines
#include <optional>
#include <taskrace/tasks.hpp>

int asked, sum, product = 1;

int main() {
  taskrace::pipeline(
      []() -> std::optional<int> {
        if (asked == 10) return std::nullopt;
        return ++asked;
      },
      taskrace::serial([](int item) {
        sum += item;
        return item;
      }),
      taskrace::parallel([](int item) { return item % 3 + 1; }),
      taskrace::serial([](int item) { product *= item; }));
  return asked + sum + product != 10 + 55 + 432;
}
// CHECK: {{^}}taskrace: no races in 30 tasks

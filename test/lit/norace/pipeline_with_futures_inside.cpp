// Stages that make futures, and a pipeline inside a task.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <optional>
#include <taskrace/tasks.hpp>

int sum;

int main() {
  auto whole = taskrace::make_future([] {
    taskrace::pipeline(
        [next = 0]() mutable -> std::optional<int> {
          return next == 4 ? std::nullopt : std::optional<int>(next++);
        },
        taskrace::parallel([](int item) {
          return taskrace::make_future([item] { return item * 2; });
        }),
        taskrace::serial([](taskrace::future<int> item) { sum += item.get(); }));
    return sum;
  });
  return whole.get() != 12;
}
// CHECK: {{^}}taskrace: no races in 13 tasks

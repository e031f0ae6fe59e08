// Results by value, by reference, by move and none at all; written by the task, used by the getter.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <memory>
#include <string>
#include <taskrace/tasks.hpp>

int x;

int main() {
  auto value = taskrace::make_future([] { return std::string(100, 'a'); });
  auto reference = taskrace::make_future([]() -> int& {
    x = 1;
    return x;
  });
  auto nothing = taskrace::make_future([] {});
  auto moved = taskrace::make_future([] { return std::make_unique<int>(7); });

  std::string text = value.get();
  text += 'b';
  reference.get() = 2;
  nothing.get();
  std::unique_ptr<int> owned = moved.get();
  *owned += 1;
  return text.size() + x + *owned != 101 + 2 + 8;
}
// CHECK: {{^}}taskrace: no races in 4 tasks

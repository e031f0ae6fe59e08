// A future that throws is over like any other, and whoever gets it hears of the exception.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <stdexcept>
#include <string>
#include <taskrace/tasks.hpp>

int x;

int main() {
  auto f = taskrace::make_future([]() -> int {
    x = 1;
    throw std::runtime_error("from the future");
  });
  auto dropped = taskrace::make_future([] { throw 1; });
  try {
    f.get();
    return 1;
  } catch (const std::runtime_error& error) {
    x += error.what() == std::string("from the future");
  }
  auto shared = taskrace::make_future([] { throw x; }).share();
  int caught = 0;
  for (int i = 0; i < 2; ++i) {
    try {
      shared.get();
    } catch (int number) {
      caught += number;
    }
  }
  return caught != 4;
}
// CHECK: {{^}}taskrace: no races in 3 tasks

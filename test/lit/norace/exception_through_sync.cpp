// sync rethrows when all tasks are over: the handler comes after them.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <stdexcept>
#include <string>
#include <taskrace/tasks.hpp>

int x, y;

int main() {
  std::string message;
  try {
    taskrace::scope s;
    s.spawn([] {
      x = 1;
      throw std::runtime_error("a message of some length, kept on the heap");
    });
    s.spawn([] { y = 1; });
    s.sync();
  } catch (const std::exception& error) {
    message = error.what();
    x = y;
  }
  return message.empty();
}
// CHECK: {{^}}taskrace: no races in 2 tasks

// The same with finish, where function and asyncs throw.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x, y, caught;

int main() {
  try {
    taskrace::finish([] {
      taskrace::async([] {
        x = 1;
        throw 1;
      });
      taskrace::async([] {
        y = 1;
        throw 2;
      });
      throw 3;
    });
  } catch (int number) {
    caught = number + x + y;
  }
  return caught < 3;
}
// CHECK: {{^}}taskrace: no races in 2 tasks

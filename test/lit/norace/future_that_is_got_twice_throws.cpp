// A second get finds no state, and is not a construct.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

int main() {
  auto f = taskrace::make_future([] { return x = 1; });
  f.get();
  try {
    f.get();
  } catch (const taskrace::future_error& error) {
    return error.code() != taskrace::future_errc::no_state;
  }
  return 1;
}
// CHECK: {{^}}taskrace: no races in 1 task

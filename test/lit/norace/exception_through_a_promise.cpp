// set_exception orders as set_value does; a second set throws and orders nothing.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <stdexcept>
#include <taskrace/tasks.hpp>

int x, caught[3];

int main() {
  taskrace::promise<int> p;
  taskrace::finish([&p] {
    for (int i = 0; i < 2; ++i) {
      taskrace::async([f = p.get_future(), i] {
        try {
          f.get();
        } catch (const std::runtime_error&) {
          caught[i] = x;
        }
      });
    }
    x = 1;
    p.set_exception(std::make_exception_ptr(std::runtime_error("no value")));
    try {
      p.set_value(2);
    } catch (const taskrace::future_error& error) {
      caught[2] = error.code() == taskrace::future_errc::promise_already_satisfied;
    }
  });
  return caught[0] + caught[1] + caught[2] != 3;
}
// CHECK: {{^}}taskrace: no races in 2 tasks

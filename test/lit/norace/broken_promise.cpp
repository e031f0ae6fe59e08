// A promise that dies unset tells its waiters, who come after its end.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <optional>
#include <taskrace/tasks.hpp>

int x, broken;

int main() {
  taskrace::finish([] {
    std::optional<taskrace::promise<int>> p(std::in_place);
    taskrace::async([f = p->get_future()] {
      try {
        f.get();
      } catch (const taskrace::future_error& error) {
        broken += error.code() == taskrace::future_errc::broken_promise;
        x += 1;
      }
    });
    x = 1;
    p.reset();
  });
  return broken != 1 || x != 2;
}
// CHECK: {{^}}taskrace: no races in 1 task

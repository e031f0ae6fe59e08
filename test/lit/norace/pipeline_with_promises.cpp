// A stage that waits for a promise is switched out, and the items behind it wait in order.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <optional>
#include <taskrace/tasks.hpp>

int asked, last, seen;

int main() {
  taskrace::promise<int> p;
  taskrace::pipeline(
      [&p]() -> std::optional<int> {
        if (asked == 4) p.set_value(10);
        return asked == 4 ? std::nullopt : std::optional<int>(++asked);
      },
      taskrace::parallel(
          [f = p.get_future()](int item) { return item + (item == 2 ? f.get() : 0); }),
      taskrace::serial([](int item) {
        seen += item;
        last = item;
      }));
  return seen != 20 || last != 4;
}
// CHECK: {{^}}taskrace: no races in 8 tasks

// Values, references, nothing and what can only be moved, set before and after the gets.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <memory>
#include <string>
#include <taskrace/tasks.hpp>

int x;

int main() {
  taskrace::promise<std::string> text;
  taskrace::promise<int&> reference;
  taskrace::promise<void> nothing;
  taskrace::promise<std::unique_ptr<int>> owned;
  std::size_t size = 0;
  int number = 0;
  taskrace::finish([&] {
    taskrace::async([&size, f = text.get_future()] { size = f.get().size(); });
    taskrace::async([f = reference.get_future()] { f.get() += 1; });
    taskrace::async([&number, f = owned.get_future(), g = nothing.get_future()] {
      g.get();
      number = *f.get();
    });
    text.set_value(std::string(60, 'a'));
    x = 1;
    reference.set_value(x);
    owned.set_value(std::make_unique<int>(5));
    nothing.set_value();
  });
  return size + x + number != 60 + 2 + 5;
}
// CHECK: {{^}}taskrace: no races in 3 tasks

// Each task locks a weak_ptr of its own while the others do; one drops the last owner.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <memory>
#include <taskrace/tasks.hpp>

int main() {
  auto owner = std::make_shared<int>(5);
  std::weak_ptr<int> watch = owner;
  int seen[3] = {};
  taskrace::scope s;
  for (int i = 0; i < 3; ++i) {
    s.spawn([watch, &seen, i] {
      if (const auto number = watch.lock()) seen[i] = *number;
    });
  }
  s.spawn([last = std::move(owner)]() mutable { last.reset(); });
  s.sync();
  return seen[0] != 5;
}
// CHECK: {{^}}taskrace: no races in 4 tasks

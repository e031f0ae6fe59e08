// One task resets the weak_ptr that another locks.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <memory>
#include <taskrace/tasks.hpp>

bool alive;

int main() {
  auto number = std::make_shared<int>(1);
  std::weak_ptr<int> watch = number;
  taskrace::scope s;
  // CHECK: race: read-write on 'watch'
  s.spawn([&] { alive = watch.lock() != nullptr; });
  // CHECK: #{{.*}}weak_ptr_assigned.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([&] { watch.reset(); });
  // CHECK: #{{.*}}weak_ptr_assigned.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: {{[0-9]+}} race

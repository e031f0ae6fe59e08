// A closure that changes itself is copied into each task; it may own memory, and be moved.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <memory>
#include <taskrace/tasks.hpp>

int main() {
  taskrace::scope s;
  auto count = [calls = 0]() mutable { ++calls; };
  for (int i = 0; i < 3; ++i) s.spawn(count);
  for (int i = 0; i < 3; ++i) s.spawn([own = std::make_unique<int>(i)] { ++*own; });
  s.sync();
}
// CHECK: {{^}}taskrace: no races in 6 tasks

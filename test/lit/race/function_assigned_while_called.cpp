// One task replaces the std::function that another calls.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <functional>
#include <taskrace/tasks.hpp>

int seen;

int main() {
  std::function<int()> next = [] { return 1; };
  taskrace::scope s;
  // CHECK: race: read-write on 'next'
  s.spawn([&] { seen = next(); });
  // CHECK: #{{.*}}function_assigned_while_called.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([&] { next = [] { return 2; }; });
  // CHECK: #{{.*}}function_assigned_while_called.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: {{[0-9]+}} race

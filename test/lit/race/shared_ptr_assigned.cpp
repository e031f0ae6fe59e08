// The count of a shared_ptr is safe, the pointer itself is not.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <memory>
#include <taskrace/tasks.hpp>

int seen;

int main() {
  auto current = std::make_shared<int>(1);
  taskrace::scope s;
  // CHECK: race: read-write on 'current'
  s.spawn([&] { seen = *current; });
  // CHECK: #{{.*}}shared_ptr_assigned.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([&] { current.reset(); });
  // CHECK: #{{.*}}shared_ptr_assigned.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: {{[0-9]+}} race

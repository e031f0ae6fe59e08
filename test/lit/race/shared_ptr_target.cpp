// Tasks with a copy each of a shared_ptr write the one object.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <memory>
#include <taskrace/tasks.hpp>

int main() {
  auto number = std::make_shared<int>(1);
  taskrace::scope s;
  // CHECK: race: write-write on a heap block
  s.spawn([number] { *number = 2; });
  // CHECK: #0{{.*}}shared_ptr_target.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 4 bytes
  s.spawn([number] { *number = 3; });
  // CHECK: #0{{.*}}shared_ptr_target.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

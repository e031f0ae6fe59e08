// Neighbouring elements of a vector<bool> are bits of one word.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>
#include <vector>

int main() {
  std::vector<bool> seen(100);
  taskrace::scope s;
  // CHECK: race: write-{{read|write}} on a heap block
  s.spawn([&] { seen[3] = true; });
  // CHECK: #{{.*}}vector_of_bool.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([&] { seen[4] = true; });
  // CHECK: #{{.*}}vector_of_bool.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

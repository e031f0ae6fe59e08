// Two tasks insert into one set.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <set>
#include <taskrace/tasks.hpp>

int main() {
  std::set<int> numbers;
  taskrace::scope s;
  // Which of the set's parts is named first depends on what the optimiser leaves.
  // CHECK: race: {{.*}} on {{'numbers'|a heap block}}
  s.spawn([&] { numbers.insert(1); });
  // CHECK: #{{.*}}set_insert.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([&] { numbers.insert(2); });
  // CHECK: #{{.*}}set_insert.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: {{[0-9]+}} race

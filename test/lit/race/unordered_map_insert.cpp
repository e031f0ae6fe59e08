// Two tasks insert into one hash table.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>
#include <unordered_map>

int main() {
  std::unordered_map<int, int> table;
  taskrace::scope s;
  // CHECK: race: {{.*}} on 'table'
  s.spawn([&] { table[1] = 1; });
  // CHECK: #{{.*}}unordered_map_insert.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([&] { table[2] = 2; });
  // CHECK: #{{.*}}unordered_map_insert.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: {{[0-9]+}} race

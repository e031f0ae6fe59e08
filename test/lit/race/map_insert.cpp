// Two tasks insert into one map; the rebalancing is in the library, the lines are the user's.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <map>
#include <taskrace/tasks.hpp>

int main() {
  std::map<int, int> table;
  taskrace::scope s;
  // CHECK: race: {{.*}} on 'table'
  s.spawn([&] { table[1] = 1; });
  // CHECK: #{{.*}}map_insert.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([&] { table[2] = 2; });
  // CHECK: #{{.*}}map_insert.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: {{[0-9]+}} race

// A lookup walks over nodes that an insertion relinks inside the library.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <map>
#include <taskrace/tasks.hpp>

int main() {
  std::map<int, int> table;
  for (int i = 0; i < 8; ++i) table[i] = i;
  int seen = 0;
  taskrace::scope s;
  // CHECK: race: read-write
  s.spawn([&] { seen = table.find(1)->second; });
  // CHECK: #{{.*}}map_read_while_it_is_rebalanced.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([&] { table.erase(0); });
  // CHECK: #{{.*}}map_read_while_it_is_rebalanced.cpp:[[#@LINE-1]]:
  s.sync();
  return seen != 1;
}
// CHECK: {{^}}taskrace: {{[0-9]+}} race

// Two tasks push into one vector.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>
#include <vector>

int main() {
  std::vector<int> numbers;
  taskrace::scope s;
  // CHECK: race: {{.*}} on 'numbers'
  s.spawn([&] { numbers.push_back(1); });
  // CHECK: #{{.*}}vector_push_back.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([&] { numbers.push_back(2); });
  // CHECK: #{{.*}}vector_push_back.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: {{[0-9]+}} race

// Two tasks append to one list: the links are set inside the library.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <list>
#include <taskrace/tasks.hpp>

int main() {
  std::list<int> numbers;
  taskrace::scope s;
  // CHECK: race: write-write
  s.spawn([&] { numbers.push_back(1); });
  // CHECK: #{{.*}}list_push_back.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([&] { numbers.push_back(2); });
  // CHECK: #{{.*}}list_push_back.cpp:[[#@LINE-1]]:
  // CHECK: The same two lines race on 'numbers' too.
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

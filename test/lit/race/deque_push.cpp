// Two tasks push at the two ends of one deque: they share no element, but the table of blocks and
// the deque's own fields.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <deque>
#include <taskrace/tasks.hpp>

int main() {
  std::deque<int> numbers;
  taskrace::scope s;
  // CHECK: race: {{.*}} on 'numbers'
  s.spawn([&] { numbers.push_back(1); });
  // CHECK: #{{.*}}deque_push.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([&] { numbers.push_front(2); });
  // CHECK: #{{.*}}deque_push.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: {{[0-9]+}} race

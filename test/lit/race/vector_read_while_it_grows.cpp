// One task reads an element of the block that another's push_back replaces and frees.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>
#include <vector>

int main() {
  std::vector<int> numbers(4);
  int* first = numbers.data();
  int seen = 0;
  taskrace::scope s;
  // CHECK: race: read-write on a heap block of 16 bytes
  // CHECK: earlier: read of 4 bytes by task 1
  s.spawn([&] { seen = first[2]; });
  // CHECK: #0{{.*}}vector_read_while_it_grows.cpp:[[#@LINE-1]]:
  // CHECK: later: free of a block of 16 bytes by task 2
  s.spawn([&] { numbers.push_back(2); });
  // CHECK: #{{.*}}vector_read_while_it_grows.cpp:[[#@LINE-1]]:
  s.sync();
  return seen;
}
// CHECK: {{^}}taskrace: 1 race

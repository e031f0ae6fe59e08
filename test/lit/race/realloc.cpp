// realloc frees the block that a task reads, wherever the new one lies.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <cstdlib>
#include <taskrace/tasks.hpp>

int main() {
  int* p = static_cast<int*>(std::calloc(16, sizeof(int)));
  int seen = 0;
  taskrace::scope s;
  // CHECK: race: read-write on a heap block of 64 bytes
  // CHECK: earlier: read of 4 bytes by task 1
  s.spawn([&seen, p] { seen = p[5]; });
  // CHECK: #0{{.*}}realloc.cpp:[[#@LINE-1]]:
  // CHECK: later: {{.*}} by the main task
  int* q = static_cast<int*>(std::realloc(p, 1 << 20));
  // CHECK: #0{{.*}}realloc.cpp:[[#@LINE-1]]:
  s.sync();
  seen += q[5];
  std::free(q);
  return seen;
}
// CHECK: {{^}}taskrace: 1 race

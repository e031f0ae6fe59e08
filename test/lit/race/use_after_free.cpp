// One task frees what a parallel one reads.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <cstdlib>
#include <taskrace/tasks.hpp>

int main() {
  int* p = static_cast<int*>(std::calloc(4, sizeof(int)));
  taskrace::scope s;
  int seen = 0;
  // CHECK: race: read-write on a heap block of 16 bytes
  // CHECK: earlier: read of 4 bytes by task 1
  s.spawn([&] { seen = p[3]; });
  // CHECK: #0{{.*}}use_after_free.cpp:[[#@LINE-1]]:
  // CHECK: later: free of a block of 16 bytes by task 2
  s.spawn([=] { std::free(p); });
  // CHECK: #0{{.*}}use_after_free.cpp:[[#@LINE-1]]:
  s.sync();
  return seen;
}
// CHECK: where: heap block of 16 bytes allocated at {{.*}}use_after_free.cpp:[[#@LINE-13]]:
// CHECK: {{^}}taskrace: 1 race

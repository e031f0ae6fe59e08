// An atomic update does not protect from a plain read.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <atomic>
#include <taskrace/tasks.hpp>

int count;

int main() {
  taskrace::scope s;
  // CHECK: race: {{.*}} on 'count'
  // CHECK: earlier: atomic {{.*}} of 4 bytes by task 1
  s.spawn([] { __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST); });
  // CHECK: #0{{.*}}atomic_and_plain.cpp:[[#@LINE-1]]:
  // CHECK: later: read of 4 bytes by the main task
  int seen = count;
  // CHECK: #0{{.*}}atomic_and_plain.cpp:[[#@LINE-1]]:
  s.sync();
  return seen != 1;
}
// CHECK: {{^}}taskrace: 1 race

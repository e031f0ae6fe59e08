// A task reads the slots of all workers before the join.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

long sums[64];
long seen;

int main() {
  taskrace::scope s;
  for (int i = 0; i < 4; ++i) {
    s.spawn([i] { sums[taskrace::this_worker()] += i; });
    // CHECK: race: write-read on 'sums'
    // CHECK: earlier: write of 8 bytes
    // CHECK: #0{{.*}}slot_of_another_worker.cpp:[[#@LINE-3]]:
    // CHECK: holding lock 'this_worker() == 0'
  }
  s.spawn([] {
    for (long part : sums) seen += part;
    // CHECK: later: read of {{[0-9]+}} bytes by task 5
    // CHECK: #0{{.*}}slot_of_another_worker.cpp:[[#@LINE-2]]:
  });
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

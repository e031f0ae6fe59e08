// Release and acquire order the data in this schedule; in another the reader finds the flag unset.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <atomic>
#include <taskrace/tasks.hpp>

int data, seen;
std::atomic<bool> ready;

int main() {
  taskrace::scope s;
  // CHECK: race: write-read on 'data'
  // CHECK: earlier: write of 4 bytes by task 1
  s.spawn([] {
    data = 1;
    // CHECK: #0{{.*}}atomic_flag_does_not_order.cpp:[[#@LINE-1]]:
    ready.store(true, std::memory_order_release);
  });
  s.spawn([] {
    // CHECK: later: read of 4 bytes by task 2
    if (ready.load(std::memory_order_acquire)) seen = data;
    // CHECK: #0{{.*}}atomic_flag_does_not_order.cpp:[[#@LINE-1]]:
  });
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

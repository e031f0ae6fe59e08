// Each task holds a lock, but not the same.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <mutex>
#include <taskrace/tasks.hpp>

std::mutex a, b;
int count;

int main() {
  taskrace::scope s;
  // CHECK: race: write-write on 'count'
  // CHECK: earlier: write of 4 bytes by task 1
  s.spawn([] {
    std::lock_guard lock(a);
    count = 1;
    // CHECK: #0{{.*}}different_locks.cpp:[[#@LINE-1]]:
  });
  // CHECK: later: write of 4 bytes by task 2
  s.spawn([] {
    std::lock_guard lock(b);
    count = 2;
    // CHECK: #0{{.*}}different_locks.cpp:[[#@LINE-1]]:
  });
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

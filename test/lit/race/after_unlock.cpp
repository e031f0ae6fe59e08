// The lock is given back before the second access.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <mutex>
#include <taskrace/tasks.hpp>

std::mutex mutex;
int count;

int seen;

int main() {
  taskrace::scope s;
  // CHECK: race: write-write on 'count'
  // CHECK: earlier: write of 4 bytes by task 1
  s.spawn([] {
    std::unique_lock lock(mutex);
    seen = count;
    lock.unlock();
    count = 1;
    // CHECK: #0{{.*}}after_unlock.cpp:[[#@LINE-1]]:
  });
  // CHECK: later: write of 4 bytes by task 2
  s.spawn([] {
    std::lock_guard lock(mutex);
    count = 2;
    // CHECK: #0{{.*}}after_unlock.cpp:[[#@LINE-1]]:
    // CHECK: holding lock 'mutex', declared at after_unlock.cpp:8
  });
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

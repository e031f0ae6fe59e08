// A shared lock keeps writers out, not one of its own holders that writes.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <shared_mutex>
#include <taskrace/tasks.hpp>

std::shared_mutex mutex;
int count;

int main() {
  taskrace::scope s;
  // CHECK: race: write-write on 'count'
  // CHECK: earlier: write of 4 bytes by task 1
  s.spawn([] {
    std::shared_lock lock(mutex);
    count = 1;
    // CHECK: #0{{.*}}write_under_shared_lock.cpp:[[#@LINE-1]]:
  });
  // CHECK: later: write of 4 bytes by task 2
  s.spawn([] {
    std::shared_lock lock(mutex);
    count = 2;
    // CHECK: #0{{.*}}write_under_shared_lock.cpp:[[#@LINE-1]]:
  });
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

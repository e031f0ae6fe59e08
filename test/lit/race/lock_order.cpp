// A common lock prevents the race but not that the result depends on the schedule: said when asked.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck --check-prefix=SILENT %s
// RUN: %not %taskrace run --lock_order=1 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck --check-prefix=SILENT %s
// RUN: %not %taskrace run --lock_order=1 %t 2>&1 | %FileCheck %s
#include <mutex>
#include <taskrace/tasks.hpp>

std::mutex mutex;
int last;

int main() {
  taskrace::scope s;
  // SILENT: taskrace: no races in 2 tasks
  // CHECK: lock order decides: write-write on 'last'
  // CHECK: earlier: write of 4 bytes by task 1
  s.spawn([] {
    std::lock_guard lock(mutex);
    last = 1;
    // CHECK: #0{{.*}}lock_order.cpp:[[#@LINE-1]]:
  });
  // CHECK: later: write of 4 bytes by task 2
  s.spawn([] {
    std::lock_guard lock(mutex);
    last = 2;
    // CHECK: #0{{.*}}lock_order.cpp:[[#@LINE-1]]:
  });
  s.sync();
}

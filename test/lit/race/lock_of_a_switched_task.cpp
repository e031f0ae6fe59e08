// A lock that a task holds while it is switched out protects nobody who runs meanwhile.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <mutex>
#include <taskrace/tasks.hpp>

std::mutex mutex;
int x, y;

int main() {
  taskrace::promise<void> p;
  taskrace::finish([&p] {
    taskrace::async([&p] {
      std::lock_guard lock(mutex);
      // CHECK: race: write-write on 'x'
      // CHECK: earlier: write of 4 bytes by task 1
      x = 1;
      // CHECK: lock_of_a_switched_task.cpp:[[#@LINE-1]]:
      p.get_future().get();
      // Still held: this one is protected.
      y = 1;
    });
    // CHECK: later: write of 4 bytes by the main task
    x = 2;
    // CHECK: lock_of_a_switched_task.cpp:[[#@LINE-1]]:
    p.set_value();
    std::lock_guard lock(mutex);
    y = 2;
  });
}
// CHECK: {{^}}taskrace: 1 race

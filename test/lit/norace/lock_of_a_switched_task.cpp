// Tasks that take turns take the same lock, before and after they were switched out.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <mutex>
#include <taskrace/tasks.hpp>

std::mutex mutex;
int x;

int main() {
  taskrace::promise<void> p;
  taskrace::finish([&p] {
    for (int i = 0; i < 3; ++i) {
      taskrace::async([&p] {
        mutex.lock();
        ++x;
        mutex.unlock();
        p.get_future().get();
        std::lock_guard lock(mutex);
        ++x;
      });
    }
    {
      std::lock_guard lock(mutex);
      ++x;
    }
    p.set_value();
    std::lock_guard lock(mutex);
    ++x;
  });
  return x != 8;
}
// CHECK: {{^}}taskrace: no races in 3 tasks

// A lock that the detector cannot know, announced by its author.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/annotate.h>

#include <atomic>
#include <taskrace/tasks.hpp>

class SpinLock {
 public:
  void lock() {
    while (taken_.test_and_set(std::memory_order_acquire)) {
    }
    TASKRACE_LOCK_ACQUIRED(this);
  }
  void unlock() {
    TASKRACE_LOCK_RELEASED(this);
    taken_.clear(std::memory_order_release);
  }

 private:
  std::atomic_flag taken_ = ATOMIC_FLAG_INIT;
};

SpinLock spin;
int count;

int main() {
  taskrace::parallel_for(0, 4, [](int) {
    spin.lock();
    ++count;
    spin.unlock();
  });
  return count != 4;
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}

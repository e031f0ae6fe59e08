// One lock for one variable, taken in every way that the library has.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <mutex>
#include <taskrace/tasks.hpp>

std::mutex mutex, other;
std::recursive_mutex twice;
int count, second;

int main() {
  taskrace::scope s;
  s.spawn([] {
    std::lock_guard lock(mutex);
    ++count;
  });
  s.spawn([] {
    std::unique_lock lock(mutex, std::defer_lock);
    lock.lock();
    ++count;
    lock.unlock();
  });
  s.spawn([] {
    std::scoped_lock both(other, mutex);
    ++count;
  });
  s.spawn([] {
    if (mutex.try_lock()) {
      ++count;
      mutex.unlock();
    }
  });
  for (int i = 0; i < 2; ++i) {
    s.spawn([] {
      std::lock_guard outer(twice);
      {
        std::lock_guard inner(twice);
        ++second;
      }
      ++second;
    });
  }
  s.sync();
  return count != 4 || second != 4;
}
// CHECK: {{^}}taskrace: no races in 6 tasks

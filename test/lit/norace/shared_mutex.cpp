// Readers share the lock, the writer has it alone.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <mutex>
#include <shared_mutex>
#include <taskrace/tasks.hpp>

std::shared_mutex mutex;
int value;
int seen[3];

int main() {
  taskrace::scope s;
  for (int i = 0; i < 3; ++i) {
    s.spawn([i] {
      std::shared_lock lock(mutex);
      seen[i] = value;
    });
  }
  s.spawn([] {
    std::unique_lock lock(mutex);
    value = 1;
  });
  s.sync();
}
// CHECK: {{^}}taskrace: no races in 4 tasks

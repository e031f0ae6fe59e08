// 10 000 tasks wait at once.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

constexpr int kTasks = 10000;
int got[kTasks];

int main() {
  taskrace::promise<int> p;
  taskrace::finish([&p] {
    for (int i = 0; i < kTasks; ++i) {
      taskrace::async([f = p.get_future(), i] { got[i] = f.get(); });
    }
    p.set_value(3);
  });
  for (int i = 0; i < kTasks; ++i) {
    if (got[i] != 3) return 1;
  }
}
// CHECK: {{^}}taskrace: no races in 10000 tasks

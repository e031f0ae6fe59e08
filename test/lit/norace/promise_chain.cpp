// Promises pass an order on from task to task, made against the order in which the tasks run.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>
#include <vector>

int x;

int main() {
  constexpr int kTasks = 100;
  std::vector<taskrace::promise<int>> links(kTasks + 1);
  taskrace::finish([&links] {
    for (int i = kTasks; i > 0; --i) {
      taskrace::async([&links, i] {
        const int before = links[i - 1].get_future().get();
        x = x + 1;
        links[i].set_value(before + 1);
      });
    }
    x = 0;
    links[0].set_value(0);
  });
  return x != kTasks || links[kTasks].get_future().get() != kTasks;
}
// CHECK: {{^}}taskrace: no races in 100 tasks

// One task of the chain passes the order on without having waited for it.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>
#include <vector>

int x;

int main() {
  constexpr int kTasks = 20;
  std::vector<taskrace::promise<void>> links(kTasks + 1);
  taskrace::finish([&links] {
    for (int i = 1; i <= kTasks; ++i) {
      taskrace::async([&links, i] {
        if (i != 10) links[i - 1].get_future().get();
        // CHECK: race: write-write on 'x'
        // CHECK: earlier: write of 4 bytes by task 20
        x = i;
        // CHECK: promise_chain_with_a_gap.cpp:[[#@LINE-1]]:
        links[i].set_value();
      });
    }
    // CHECK: later: write of 4 bytes by the main task
    x = 0;
    // CHECK: promise_chain_with_a_gap.cpp:[[#@LINE-1]]:
    links[0].set_value();
  });
}
// CHECK: {{^}}taskrace: 1 race

// Who waits for a promise comes after its end, not after what its owner does then.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <optional>
#include <taskrace/tasks.hpp>

int x;

int main() {
  taskrace::finish([] {
    std::optional<taskrace::promise<int>> p(std::in_place);
    taskrace::async([f = p->get_future()] {
      try {
        f.get();
      } catch (const taskrace::future_error&) {
        // CHECK: race: write-write on 'x'
        // CHECK: earlier: write of 4 bytes by task 1
        x = 1;
        // CHECK: broken_promise.cpp:[[#@LINE-1]]:
      }
    });
    p.reset();
    // CHECK: later: write of 4 bytes by the main task
    x = 2;
    // CHECK: broken_promise.cpp:[[#@LINE-1]]:
  });
}
// CHECK: {{^}}taskrace: 1 race

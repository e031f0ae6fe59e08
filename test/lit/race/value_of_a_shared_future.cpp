// A task changes the number that others got, through what get refers to.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

long seen;

int main() {
  taskrace::promise<long> p;
  const taskrace::shared_future<long> f = p.get_future();
  taskrace::finish([&] {
    taskrace::async([&p] { p.set_value(1); });
    // CHECK: race: write-read
    taskrace::async([f] {
      // CHECK: earlier: write of 8 bytes by task 2
      const_cast<long&>(f.get()) = 2;
      // CHECK: value_of_a_shared_future.cpp:[[#@LINE-1]]:
    });
    // CHECK: later: read of 8 bytes by task 3
    taskrace::async([f] { seen = f.get(); });
    // CHECK: value_of_a_shared_future.cpp:[[#@LINE-1]]:
  });
}
// CHECK: {{^}}taskrace: 1 race

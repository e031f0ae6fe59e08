// Two tasks that each wait for a deferred std::async, whose function runs inside of call_once.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <future>
#include <taskrace/tasks.hpp>

int counter;

void Count() {
  // CHECK: race: write-write on 'counter'
  // CHECK: #0{{.*}}deferred_async.cpp:[[#@LINE+1]]:
  ++counter;
}

int main() {
  taskrace::scope s;
  for (int i = 0; i < 2; ++i) {
    s.spawn([] { std::async(std::launch::deferred, Count).wait(); });
  }
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

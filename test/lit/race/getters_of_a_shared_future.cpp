// Two tasks that got the same future come after it, not one after the other.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run %t 2>&1 | %FileCheck --check-prefix=ENGINE %s
// ENGINE: engine donesets,
#include <taskrace/tasks.hpp>

int x;

int main() {
  auto f = taskrace::make_future([] { return x = 1; }).share();
  // CHECK: race: write-write on 'x'
  // CHECK: earlier: write of 4 bytes by task 2
  auto a = taskrace::make_future([f] { x += f.get(); });
  // CHECK: #0{{.*}}getters_of_a_shared_future.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 4 bytes by task 3
  auto b = taskrace::make_future([f] { f.get(), x = 5; });
  // CHECK: #0{{.*}}getters_of_a_shared_future.cpp:[[#@LINE-1]]:
  a.get();
  b.get();
  x = 0;
}
// CHECK: {{^}}taskrace: 1 race

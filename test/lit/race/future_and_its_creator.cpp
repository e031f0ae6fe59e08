// A future runs in parallel with its creator until somebody gets it.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

int main() {
  // CHECK: race: write-write on 'x'
  // CHECK: earlier: write of 4 bytes by task 1
  auto f = taskrace::make_future([] { return x = 1; });
  // CHECK: #0{{.*}}future_and_its_creator.cpp:[[#@LINE-1]]:
  // CHECK: task 1 created at {{.*}}future_and_its_creator.cpp:[[#@LINE-2]]:{{.*}}main
  // CHECK: later: write of 4 bytes by the main task
  x = 2;
  // CHECK: #0{{.*}}future_and_its_creator.cpp:[[#@LINE-1]]:
  f.get();
  x = 3;
}
// CHECK: {{^}}taskrace: 1 race

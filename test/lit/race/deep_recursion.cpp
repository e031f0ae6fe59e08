// The chain of creations leads from the task back to main.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

void Descend(int depth) {
  // CHECK: race: write-write on 'x'
  // CHECK: earlier: write of 4 bytes by task 3
  if (depth == 0) x = 1;
  // CHECK: #0{{.*}}deep_recursion.cpp:[[#@LINE-1]]:
  if (depth == 0) return;
  taskrace::scope s;
  s.spawn([=] { Descend(depth - 1); });
  // CHECK: task 3 created at {{.*}}deep_recursion.cpp:[[#@LINE-1]]:{{.*}}Descend
  // CHECK: by task {{[12]}} created at {{.*}}deep_recursion.cpp:[[#@LINE-2]]:{{.*}}Descend
  // CHECK: by task {{[12]}} created at {{.*}}deep_recursion.cpp:[[#@LINE+9]]:{{.*}}main
  // CHECK: by the main task
  s.sync();
}

int main() {
  taskrace::scope s;
  // CHECK: later: write of 4 bytes by the main task
  // CHECK: #0 main
  s.spawn([] { Descend(2); });
  x = 2;
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

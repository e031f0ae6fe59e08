// The call in the loop starts a task that writes an element; the loop reads it one iteration later.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[8];

__attribute__((noinline)) void StartTask(int i) {
  // CHECK: race: write-read on 'a'
  // CHECK: earlier: write of 4 bytes
  taskrace::async([i] { a[i] = i; });
  // CHECK: #0{{.*}}loop_whose_call_spawns.cpp:[[#@LINE-1]]:
}

int main() {
  int sum = 0;
  taskrace::finish([&] {
    for (int i = 0; i < 7; ++i) {
      StartTask(i + 1);
      // CHECK: later: read of 4 bytes by the main task
      sum += a[i];
      // CHECK: #0{{.*}}loop_whose_call_spawns.cpp:[[#@LINE-1]]:
    }
  });
  return sum != 21;
}
// CHECK: Seen 6 times.
// CHECK: {{^}}taskrace: 1 race

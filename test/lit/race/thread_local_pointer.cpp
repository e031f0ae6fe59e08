// A thread_local that is a mere pointer, or has one, need not own what it points to.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

thread_local int* current;
thread_local struct {
  int* counter;
  int depth;
} context;

int main() {
  auto* shared = new int[2]();
  current = shared;
  context.counter = shared + 1;
  taskrace::scope s;
  // CHECK: race: write-write on a heap block
  // CHECK: earlier: write of 4 bytes
  // CHECK: #0 {{.*}}thread_local_pointer.cpp:[[#@LINE+1]]:
  s.spawn([] { *current = 1; });
  // CHECK: later: write of 4 bytes
  // CHECK: #0 {{.*}}thread_local_pointer.cpp:[[#@LINE+1]]:
  s.spawn([] { *current = 2; });
  s.sync();
  // CHECK: race: write-write on a heap block
  // CHECK: earlier: write of 4 bytes
  // CHECK: #0 {{.*}}thread_local_pointer.cpp:[[#@LINE+1]]:
  s.spawn([] { *context.counter = 1; });
  // CHECK: later: write of 4 bytes
  // CHECK: #0 {{.*}}thread_local_pointer.cpp:[[#@LINE+1]]:
  s.spawn([] { *context.counter = 2; });
  s.sync();
  delete[] shared;
}
// CHECK: {{^}}taskrace: 2 races

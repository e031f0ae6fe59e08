// The attribute hides a function's own accesses, not those of what it calls.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/annotate.h>

#include <taskrace/tasks.hpp>

int x;

// CHECK: race: write-write on 'x'
__attribute__((noinline)) void Store(int value) { x = value; }
// CHECK: #0{{.*}}callee_of_a_function_without_instrumentation.cpp:[[#@LINE-1]]:
TASKRACE_NO_INSTRUMENT __attribute__((noinline)) void Hidden(int value) {
  Store(value);
  __asm__("");
}

int main() {
  taskrace::scope s;
  s.spawn([] { Hidden(1); });
  // CHECK: later: write of 4 bytes
  s.spawn([] { Store(2); });
  // CHECK: #{{.*}}callee_of_a_function_without_instrumentation.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

// The plain write comes first, an atomic one after it in the same task; the later atomic read races
// with the plain one.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

int main() {
  taskrace::scope s;
  // CHECK: race: {{.*}} on 'x'
  // CHECK: earlier: write of 4 bytes by task 1
  s.spawn([] {
    static_cast<volatile int&>(x) = 1;
    // CHECK: #0{{.*}}plain_hidden_behind_atomic.cpp:[[#@LINE-1]]:
    __atomic_store_n(&x, 2, __ATOMIC_RELAXED);
  });
  // CHECK: later: atomic read of 4 bytes by the main task
  int seen = __atomic_load_n(&x, __ATOMIC_RELAXED);
  // CHECK: #0{{.*}}plain_hidden_behind_atomic.cpp:[[#@LINE-1]]:
  s.sync();
  return seen != 2;
}
// CHECK: {{^}}taskrace: 1 race

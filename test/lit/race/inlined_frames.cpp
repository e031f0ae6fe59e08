// What the optimiser inlined is on the stack like any call.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto=thin %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

inline void Store(int value) { x = value; }
inline void Middle(int value) { Store(value + 1); }

int main() {
  taskrace::scope s;
  // CHECK: race: write-write on 'x'
  // CHECK: #0 Store(int) {{.*}}inlined_frames.cpp:[[#@LINE-6]]:
  // CHECK: #1 Middle(int) {{.*}}inlined_frames.cpp:[[#@LINE-6]]:
  s.spawn([] { Middle(1); });
  // CHECK: #2 main::$_0::operator()() const {{.*}}inlined_frames.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 4 bytes
  // CHECK: #0 Store(int)
  // CHECK: #1 Middle(int)
  s.spawn([] { Middle(2); });
  // CHECK: #2 main::$_1::operator()() const {{.*}}inlined_frames.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

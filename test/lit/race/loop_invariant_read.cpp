// What the optimiser reads once before a loop has the line that reads it in the loop.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O1 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto=thin %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int scale = 3;
struct Settings {
  int step = 1;
} settings;
float a[1000];

__attribute__((noinline)) void Scale(int n) {
  for (int i = 0; i < n; ++i) {
    a[i] = a[i] *
           scale;  // here
  }
}

__attribute__((noinline)) void Add(float* x, int n, const Settings& s) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < 10; ++j) {
      x[i * 10 + j] +=
          s.step;  // and here
    }
  }
}

int main() {
  taskrace::scope s;
  // CHECK: race: read-write on 'scale'
  // CHECK: earlier: read of 4 bytes
  // CHECK: #0 Scale(int) {{.*}}loop_invariant_read.cpp:[[#@LINE-17]]:
  s.spawn([] { Scale(500); });
  // CHECK: later: write of 4 bytes
  // CHECK: #0 main::$_1::operator()() const {{.*}}loop_invariant_read.cpp:[[#@LINE+1]]:
  s.spawn([] { scale = 4; });
  s.sync();
  // CHECK: race: read-write on 'settings'
  // CHECK: earlier: read of 4 bytes
  // CHECK: #0 Add(float*, int, Settings const&) {{.*}}loop_invariant_read.cpp:[[#@LINE-17]]:
  s.spawn([] { Add(a, 50, settings); });
  // CHECK: later: write of 4 bytes
  // CHECK: #0 main::$_3::operator()() const {{.*}}loop_invariant_read.cpp:[[#@LINE+1]]:
  s.spawn([] { settings.step = 4; });
  s.sync();
}
// CHECK: {{^}}taskrace: 2 races

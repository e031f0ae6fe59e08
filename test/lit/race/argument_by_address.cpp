// A function that only reads what it is passed the address of: the read is its own, not the call's.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 -flto=thin %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

struct Point {
  int x;
};

int result;

__attribute__((noinline)) static int Triple(const Point* p) {
  return p->x * 3;
}

int main() {
  auto* p = new Point{1};
  taskrace::scope s;
  // CHECK: race: write-read
  // CHECK: earlier: write of 4 bytes
  // CHECK: #0 main::$_0::operator()() const {{.*}}argument_by_address.cpp:[[#@LINE+1]]:
  s.spawn([p] { p->x = 2; });
  // CHECK: later: read of 4 bytes
  // CHECK: #0 Triple(Point const*) {{.*}}argument_by_address.cpp:[[#@LINE-11]]:
  // CHECK: #1 main::$_1::operator()() const {{.*}}argument_by_address.cpp:[[#@LINE+1]]:
  s.spawn([p] { result = Triple(p); });
  s.sync();
  delete p;
}
// CHECK: {{^}}taskrace: 1 race

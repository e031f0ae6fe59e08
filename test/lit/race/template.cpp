// The report says which instance of the template it was.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

template <class Number>
struct Accumulator {
  Number sum{};
  __attribute__((noinline)) void Add(Number number) { sum += number; }
};

Accumulator<double> total;

int main() {
  taskrace::scope s;
  // CHECK: race: write-{{read|write}} on 'total'
  // CHECK: #0 Accumulator<double>::Add(double) {{.*}}template.cpp:[[#@LINE-8]]:
  s.spawn([] { total.Add(1); });
  // CHECK: #{{.*}}template.cpp:[[#@LINE-1]]:
  // CHECK: later: {{read|write}} of 8 bytes
  // CHECK: #0 Accumulator<double>::Add(double)
  s.spawn([] { total.Add(2); });
  // CHECK: #{{.*}}template.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

// The accesses are in functions that are called through a pointer.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

// CHECK: race: write-write on 'x'
// CHECK: #0 One() {{.*}}function_pointer.cpp:[[#@LINE+1]]:
void One() { x = 1; }
// CHECK: #0 Two() {{.*}}function_pointer.cpp:[[#@LINE+1]]:
void Two() { x = 2; }

int main() {
  void (*functions[])() = {One, Two};
  taskrace::scope s;
  for (auto* function : functions) s.spawn(function);
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

// Tasks and the calls of their creator use the same stack, one after the other.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <alloca.h>

#include <taskrace/tasks.hpp>

__attribute__((noinline)) void Touch(char* p, int size) { p[0] = p[size - 1] = 1; }

__attribute__((noinline)) void Frame(int size) {
  char fixed[100];
  Touch(fixed, 100);
  char* dynamic = static_cast<char*>(alloca(size));
  Touch(dynamic, size);
  char variable[size];
  Touch(variable, size);
}

int main() {
  taskrace::scope s;
  for (int i = 0; i < 3; ++i) {
    s.spawn([i] { Frame(50 * i + 10); });
    Frame(70);
  }
  s.sync();
}
// CHECK: {{^}}taskrace: no races in 3 tasks

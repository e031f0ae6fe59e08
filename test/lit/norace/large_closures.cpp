// Closures too large for anything but memory of their own, which later tasks get again.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

struct Big {
  char bytes[5000];
};

int main() {
  Big big = {};
  for (int round = 0; round < 3; ++round) {
    taskrace::scope s;
    for (int i = 0; i < 3; ++i) s.spawn([big]() mutable { big.bytes[4999] = big.bytes[0] = 1; });
    s.sync();
  }
}
// CHECK: {{^}}taskrace: no races in 9 tasks

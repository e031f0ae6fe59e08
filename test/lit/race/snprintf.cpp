// The library writes the text and reads the string.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <cstdio>
#include <taskrace/tasks.hpp>

char text[32];
char name[8] = "tasks";
int seen;

int main() {
  taskrace::scope s;
  // CHECK: race: read-write on 'name'
  s.spawn([] { std::snprintf(text, sizeof text, "%s: %d", name, 7); });
  // CHECK: #{{.*}}snprintf.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 1 byte
  s.spawn([] { name[0] = 'T'; });
  // CHECK: #0{{.*}}snprintf.cpp:[[#@LINE-1]]:
  // CHECK: race: write-read on 'text'
  // CHECK: later: read of 1 byte
  s.spawn([] { seen = text[8]; });
  // CHECK: #0{{.*}}snprintf.cpp:[[#@LINE-1]]:
  s.spawn([] { seen = text[9]; });
  s.sync();
}
// CHECK: {{^}}taskrace: 3 races

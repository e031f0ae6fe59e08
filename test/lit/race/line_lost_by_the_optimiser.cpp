// Of the writes in two branches the optimiser makes one, which has no line: the report says so, and does not
// show the line of the call as if it were that of the access.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck --check-prefix=LOST %s
#include <taskrace/tasks.hpp>

int values[100];

__attribute__((noinline)) void Set(bool first, int i) {
  if (first) {
    values[i] = 1;
  } else {
    values[i + 3] = 2;
  }
}

int main(int argc, char**) {
  taskrace::scope s;
  // CHECK: earlier: write of 4 bytes
  // CHECK: #0 Set(bool, int) {{.*}}.cpp:[[#@LINE-9]]:
  s.spawn([=] { Set(argc == 1, 3); });
  // CHECK: later: write of 4 bytes
  // CHECK: #0 Set(bool, int) {{.*}}.cpp:[[#@LINE-10]]:
  s.spawn([=] { Set(argc != 1, 0); });
  s.sync();
}
// LOST: earlier: write of 4 bytes
// LOST-NEXT: (the optimiser has lost the source line)
// LOST-NEXT: #0 Set(bool, int)
// LOST: later: write of 4 bytes
// LOST-NEXT: (the optimiser has lost the source line)
// LOST-NEXT: #0 Set(bool, int)
// LOST: note: some code has no source lines

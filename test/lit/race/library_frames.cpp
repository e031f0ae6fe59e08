// Headers under -isystem, and what the user calls a library, are not the user's code: excerpts,
// creations and the joining of reports look for the line that calls them.
// RUN: mkdir -p %t.d/adapter && cp %S/Inputs/library_frames.h %t.d/adapter/work.h
// RUN: %taskrace c++ -O0 -isystem %t.d/adapter %s -o %t
// RUN: %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O0 -I %t.d/adapter %s -o %t
// RUN: %not %taskrace run --library='adapter/*' %t 2>&1 | %FileCheck %s
// RUN: echo 'library:adapter/*.h' > %t.rules
// RUN: %not %taskrace run --suppressions=%t.rules %t 2>&1 | %FileCheck --check-prefixes=CHECK,RULE %s
// RUN: %not %taskrace run %t 2>&1 | %FileCheck --check-prefix=PLAIN %s
#include <work.h>

adapter::sequence log;

int main() {
  adapter::start([] { log.add(1); });
  log.add(2);
  adapter::wait();
}
// CHECK: taskrace: race: {{[a-z-]+}} on 'log'
// CHECK: earlier:
// CHECK-NEXT: 16 |   adapter::start([] { log.add(1); });
// CHECK: #0 adapter::sequence::add(int) {{.*}}work.h
// CHECK: task 1 created at {{.*}}library_frames.cpp:16
// CHECK: later:
// CHECK-NEXT: 17 |   log.add(2);
// RULE: taskrace: rule 'library:adapter/*.h' (line 1) matched {{[0-9]+}} frames
// CHECK: taskrace: 1 race (
// PLAIN: task 1 created at {{.*}}work.h
// PLAIN: taskrace: {{[2-9]}} races (

// An annotation orders what came before it, for those with the same tag, and nothing else.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/annotate.h>
#include <taskrace/tasks.hpp>

int x, y, tag, other_tag;

int main() {
  taskrace::scope s;
  s.spawn([] {
    // CHECK: race: write-write on 'x'
    // CHECK: earlier: write of 4 bytes by task 1
    x = 1;
    // CHECK: happens_before_annotation.cpp:[[#@LINE-1]]:
    TASKRACE_HAPPENS_BEFORE(&tag);
    y = 1;
  });
  s.spawn([] {
    TASKRACE_HAPPENS_AFTER(&other_tag);
    // CHECK: later: write of 4 bytes by task 2
    x = 2;
    // CHECK: happens_before_annotation.cpp:[[#@LINE-1]]:
    TASKRACE_HAPPENS_AFTER(&tag);
    // CHECK: race: write-write on 'y'
    // CHECK: happens_before_annotation.cpp:[[#@LINE-9]]:
    // CHECK: later: write of 4 bytes by task 2
    y = 2;
    // CHECK: happens_before_annotation.cpp:[[#@LINE-1]]:
  });
}
// CHECK: {{^}}taskrace: 2 races

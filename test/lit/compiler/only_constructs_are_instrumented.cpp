// With -ftaskrace-only-constructs no access is checked, and only mode=reach takes such a program.
// RUN: %taskrace c++ -O2 -ftaskrace-only-constructs -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=CODE
// RUN: %taskrace c++ -O2 -ftaskrace-only-constructs %s -o %t
// RUN: %taskrace run --mode=reach --stats=1 %t 2>&1 | %FileCheck %s --check-prefix=REACH
// RUN: %not %taskrace run %t 2>&1 | %FileCheck %s --check-prefix=FULL
#include <taskrace/tasks.hpp>

int shared = 0;

int main() {
  taskrace::scope both;
  both.spawn([] { ++shared; });
  ++shared;
}

// CODE-NOT: call void @__taskrace_{{read|write}}
// CODE: call void @__taskrace_scope_begin
// CODE-NOT: call void @__taskrace_{{read|write}}

// REACH: tasks{{ +}}1

// FULL: only_constructs_are_instrumented.cpp was compiled with -ftaskrace-only-constructs, which checks no accesses: compile it without, or run with --mode=reach

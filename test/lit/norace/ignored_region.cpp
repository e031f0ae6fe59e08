// The program says which accesses are meant.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/annotate.h>

#include <taskrace/tasks.hpp>

int hint, cache[2];

int main() {
  TASKRACE_IGNORE_RANGE(cache, sizeof cache);
  taskrace::parallel_for(0, 3, [](int i) {
    TASKRACE_IGNORE_BEGIN();
    hint = i;
    TASKRACE_IGNORE_END();
    cache[1] = i;
    taskrace::ignore_region ignored;
    ++hint;
  });
}
// CHECK: {{^}}taskrace: no races in {{3 tasks|3 iterations of 1 loop}}

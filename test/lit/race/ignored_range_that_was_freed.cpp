// An ignored range ends with its memory: the next block at the same address is checked.
// RUN: cd %S && %taskrace c++ -O0 ignored_range_that_was_freed.cpp -o %t.0 && %not %taskrace run %t.0 2>&1 | %FileCheck %s
// RUN: cd %S && %taskrace c++ -O2 ignored_range_that_was_freed.cpp -o %t.2 && %not %taskrace run %t.2 2>&1 | %FileCheck %s
#include <taskrace/annotate.h>

#include <cstdlib>
#include <taskrace/tasks.hpp>

int* volatile block;

int main() {
  for (int round = 0; round < 2; ++round) {
    block = static_cast<int*>(std::malloc(64));
    if (round == 0) TASKRACE_IGNORE_RANGE(block, 64);
    taskrace::scope s;
    int* mine = block;
    s.spawn([mine] {
      *mine = 1;
      // CHECK: #0{{.*}}ignored_range_that_was_freed.cpp:[[#@LINE-1]]:
    });
    s.spawn([mine] {
      *mine = 2;
      // CHECK: #0{{.*}}ignored_range_that_was_freed.cpp:[[#@LINE-1]]:
    });
    s.sync();
    std::free(block);
  }
}
// CHECK: {{^}}taskrace: 1 race (1 occurrence)

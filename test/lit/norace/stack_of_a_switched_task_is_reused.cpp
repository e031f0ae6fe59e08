// The stack of a task that is over serves the next one: they do not share what was there.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/annotate.h>
#include <taskrace/tasks.hpp>

int sink[32];

__attribute__((noinline)) void Touch(int* p, int i) { p[i] = i; }

// Nobody hears where the lifetime of this variable begins and ends.
__attribute__((noinline)) TASKRACE_NO_INSTRUMENT void TouchUnannounced(int i) {
  int local[16];
  Touch(local, i);
}

int main() {
  taskrace::promise<void> p;
  taskrace::finish([&p] {
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 8; ++i) {
        taskrace::async([&p, round, i] {
          int local[16];
          Touch(local, i);
          TouchUnannounced(i);
          if (round == 0) p.get_future().get();
          TouchUnannounced(i + 1);
          Touch(local, i + 1);
          sink[8 * round + i] = local[i];
        });
      }
      if (round == 1) p.set_value();
    }
  });
}
// CHECK: {{^}}taskrace: no races in 32 tasks

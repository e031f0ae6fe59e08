// Tasks that take turns on one worker share its thread_local; in a parallel run each has its own.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

thread_local int scratch;
thread_local int buffer[8];

__attribute__((noinline)) void Fill(int* p, int value) { p[3] = value; }

int main() {
  taskrace::promise<void> p;
  taskrace::finish([&p] {
    for (int i = 0; i < 3; ++i) {
      taskrace::async([&p, i] {
        scratch = i;
        Fill(buffer, i);
        p.get_future().get();
        scratch = i;
        Fill(buffer, i);
      });
    }
    scratch = 5;
    Fill(buffer, 5);
    p.set_value();
    Fill(buffer, 6);
  });
}
// CHECK: {{^}}taskrace: no races in 3 tasks

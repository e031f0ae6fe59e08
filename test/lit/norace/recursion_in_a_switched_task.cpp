// A task that can be switched out has room for megabytes of frames, before and after.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int depths[4];

__attribute__((noinline)) int Descend(int depth) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : Descend(depth - 1) + 1 + (frame[0] & 0);
}

int main() {
  taskrace::promise<void> p;
  taskrace::finish([&p] {
    for (int i = 0; i < 4; ++i) {
      taskrace::async([&p, i] {
        depths[i] = Descend(4000);
        p.get_future().get();
        depths[i] += Descend(4000);
      });
    }
    p.set_value();
  });
  return depths[0] + depths[3] != 16000;
}
// CHECK: {{^}}taskrace: no races in 4 tasks

// Functions deep inside a task wait; all their frames are there when they go on.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int sums[3];

int Sum(int depth, const taskrace::shared_future<int>& f) {
  int here = depth;
  if (depth == 0) return f.get();
  const int below = Sum(depth - 1, f);
  return here + below;
}

int main() {
  taskrace::promise<int> p;
  taskrace::finish([&p] {
    for (int i = 0; i < 3; ++i) {
      taskrace::async([f = p.get_future(), i] { sums[i] = Sum(1000, f); });
    }
    p.set_value(7);
  });
  return sums[0] != 500507 || sums[2] != 500507;
}
// CHECK: {{^}}taskrace: no races in 3 tasks

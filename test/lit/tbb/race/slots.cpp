// Elements of other threads are read before the join, or by their address.
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
#include <tbb/tbb.h>

int total;
long few[4];

int main() {
  tbb::enumerable_thread_specific<int> counts(0);
  tbb::task_group group;
  group.run([&] { ++counts.local(); });  // CHECK-DAG: #0{{.*}}slots.cpp:[[#@LINE]]:
  // CHECK-DAG: race: write-read on a heap block
  total = counts.combine([](int a, int b) { return a + b; });
  group.wait();
  // CHECK-DAG: on 'few'
  tbb::parallel_for(0, 8, [](int i) {
    few[tbb::this_task_arena::current_thread_index() % 4] = i;
  });
}

// An element of a vector that a parallel task makes; what a task does after its push; elements of other pushes.
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_vector.h>
#include <tbb/tbb.h>

int after_push, other_task, read;

int main() {
  tbb::concurrent_vector<int> vector;
  tbb::task_group group;
  // CHECK-DAG: race: write-read on a heap block
  group.run([&] { vector.push_back(1); });  // CHECK-DAG: #{{[0-9]+}}{{.*}}containers.cpp:[[#@LINE]]:
  read = vector[0];  // CHECK-DAG: #0{{.*}}containers.cpp:[[#@LINE]]:
  group.wait();
  tbb::concurrent_queue<int> queue;
  group.run([&] {
    queue.push(1);
    // CHECK-DAG: on 'after_push'
    after_push = 1;
  });
  group.run([&] {
    // CHECK-DAG: on 'other_task'
    other_task = 1;
    queue.push(2);
  });
  int item;
  queue.try_pop(item);
  after_push = 2;
  other_task = 2;
  group.wait();
  // CHECK: {{^}}taskrace: 3 races
}

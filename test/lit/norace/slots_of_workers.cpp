// Slots that are indexed by the worker's number need no lock, and are read after the join.
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --exec=parallel %t 2>&1 | %FileCheck --check-prefix=PARALLEL %s
#include <taskrace/tasks.hpp>
#include <vector>

int main() {
  std::vector<long> sums(taskrace::max_workers());
  taskrace::parallel_for(0, 100, taskrace::at_most(16),
                         [&](int i) { sums[taskrace::this_worker()] += i; });
  long sum = 0;
  for (long part : sums) sum += part;
  return sum == 4950 ? 0 : 1;
}
// CHECK: taskrace: note: 100 tasks asked for a worker's number
// CHECK: taskrace: no races in {{100 tasks|100 iterations of 1 loop}}
// CHECK: the note above excludes
// PARALLEL: error: a task asks for its worker's number, which exec=parallel cannot follow

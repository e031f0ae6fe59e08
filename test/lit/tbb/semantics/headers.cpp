// The library's scheduler is not reached, and the library is not needed: by no header, and by no symbol.
// RUN: %taskrace c++ -M %s | %FileCheck %s --check-prefix=FILES
// RUN: %taskrace c++ -O0 %s -o %t && nm -u %t | %FileCheck %s --check-prefix=SYMBOLS --allow-empty
// FILES-NOT: {{/usr/include/oneapi/tbb/.*(task|arena|spin_|queuing_|rw_mutex_|_waitable|_aggregator|_concurrent|flow_graph|small_object)}}
// SYMBOLS-NOT: {{tbb.*2r1}}
#include <execution>

#include <algorithm>
#include <tbb/tbb.h>
#include <vector>

int main() {
  std::vector<int> v(10);
  std::sort(std::execution::par, v.begin(), v.end());
  tbb::parallel_sort(v);
  tbb::task_group group;
  group.run_and_wait([] {});
  tbb::enumerable_thread_specific<int> mine;
  mine.local() = tbb::this_task_arena::max_concurrency();
  tbb::concurrent_queue<int> queue;
  queue.push(1);
}

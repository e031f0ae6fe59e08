// Functions that algorithms of std::execution call for different elements share a variable; elements are read by
// their neighbours.
// RUN: %taskrace c++ -O0 -std=c++20 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -std=c++17 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
#include <algorithm>
#include <execution>
#include <numeric>
#include <vector>

int counted, seen, compared, added, scanned, not_here;

int main() {
  std::vector<int> v(100, 1), w(100);
  // CHECK-DAG: race: {{.*}} on 'counted'
  // CHECK-DAG: #0{{.*}}std_execution.cpp:[[#@LINE+1]]:
  std::for_each(std::execution::par, v.begin(), v.end(), [](int) { ++counted; });
  // CHECK-DAG: race: {{.*}} on 'seen'
  // CHECK-DAG: #0{{.*}}std_execution.cpp:[[#@LINE+1]]:
  std::transform(std::execution::par_unseq, v.begin(), v.end(), w.begin(), [](int x) { return seen = x; });
  // CHECK-DAG: race: {{.*}} on 'compared'
  std::sort(std::execution::par, v.begin(), v.end(), [](int a, int b) { ++compared; return a < b; });
  // CHECK-DAG: race: {{.*}} on 'added'
  w[0] = std::reduce(std::execution::par, v.begin(), v.end(), 0, [](int a, int b) { added = a; return a + b; });
  // CHECK-DAG: race: {{.*}} on 'scanned'
  std::inclusive_scan(std::execution::par, v.begin(), v.end(), w.begin(),
                      [](int a, int b) { scanned = a; return a + b; });
  // A write of one element is a read of another one. The block is on the heap.
  // CHECK-DAG: on a heap block
  std::for_each(std::execution::par, v.begin(), v.end() - 1, [](int& x) { x = *(&x + 1); });
  std::for_each(std::execution::seq, v.begin(), v.end(), [](int) { ++not_here; });
  // CHECK-NOT: not_here
}

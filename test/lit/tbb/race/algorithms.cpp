// One race in each algorithm; all lines are the program's.
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
#include <tbb/tbb.h>

#include <list>
#include <string>
#include <vector>

using range = tbb::blocked_range<int>;
int split_read, reduced, reduced_part, deterministic, scanned, each, in_list, fed, invoked, sorted, joined;

// The splitting constructor reads what the left body changes.
struct racy_split {
  int sum = 0, copied;
  racy_split() : copied(0) {}
  racy_split(racy_split& other, tbb::split)
      : copied(other.sum) {}  // CHECK-DAG: #0 racy_split::racy_split({{.*}}algorithms.cpp:[[#@LINE]]:
  void operator()(const range& r) { sum += r.begin(); }  // CHECK-DAG: #0{{.*}}algorithms.cpp:[[#@LINE]]:
  void join(racy_split& other) { sum += other.sum; }
};

int main() {
  // CHECK-DAG: race: read-write on '{{(right_)?}}body'
  racy_split body;
  tbb::parallel_reduce(range(0, 4), body);
  // CHECK-DAG: on 'reduced'
  tbb::parallel_reduce(range(0, 4), std::string(), [](const range&, std::string s) { return s; },
                       [](std::string a, const std::string&) { reduced = 1; return a; });
  // CHECK-DAG: on 'reduced_part'
  tbb::parallel_reduce(range(0, 4000), 0, [](const range& r, int x) { reduced_part = x; return x + r.begin(); },
                       std::plus<int>());
  // CHECK-DAG: on 'deterministic'
  tbb::parallel_deterministic_reduce(range(0, 40, 10), 0, [](const range&, int x) { return deterministic = x; },
                                     std::plus<int>());
  // CHECK-DAG: on 'scanned'
  tbb::parallel_scan(range(0, 4), 0, [](const range&, int x, bool is_final) { if (is_final) ++scanned; return x; },
                     std::plus<int>());
  std::vector<int> v(1000, 1);
  std::list<int> list(10, 1);
  // CHECK-DAG: on 'each'
  tbb::parallel_for_each(v, [](int x) { each = x; });
  // CHECK-DAG: on 'in_list'
  tbb::parallel_for_each(list, [](int x) { in_list = x; });
  // CHECK-DAG: on 'fed'
  tbb::parallel_for_each(v.begin(), v.begin() + 1, [](int x, tbb::feeder<int>& more) {
    fed = x;
    if (x == 1) more.add(2);
    if (x == 1) fed = 7;
  });
  // CHECK-DAG: on 'invoked'
  tbb::parallel_invoke([] { invoked = 1; }, [] { invoked = 2; });
  // CHECK-DAG: on 'sorted'
  tbb::parallel_sort(v.begin(), v.end(), [](int a, int b) { ++sorted; return a < b; });
  // CHECK-NOT: #0{{.*}}include/taskrace
}

// Every form of parallel_for has one race, on a variable of its own.
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run --group=0 --dedup=address %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -std=c++20 %s -o %t && %not %taskrace run --group=0 --dedup=address %t 2>&1 | %FileCheck %s
#include <oneapi/tbb.h>

#include <vector>

int by_index, by_step, with_simple, with_auto, with_static, with_affinity, with_context, with_2d, with_3d, in_functor,
    by_iterator;

struct body {
  void operator()(const tbb::blocked_range<int>& r) const {
    if (r.begin() == 3 || r.begin() == 8) in_functor = r.begin();
  }
};

int main() {
  const auto each = [](int& x) { return [&x](int i) { if (i == 2 || i == 4) x = i; }; };
  // CHECK-DAG: on 'by_index'
  tbb::parallel_for(0, 9, each(by_index));
  // CHECK-DAG: on 'by_step'
  tbb::parallel_for(0, 9, 2, each(by_step));
  // CHECK-DAG: on 'with_simple'
  tbb::parallel_for(0, 9, each(with_simple), tbb::simple_partitioner());
  // CHECK-DAG: on 'with_auto'
  tbb::parallel_for(0, 9, 2, each(with_auto), tbb::auto_partitioner{});
  // CHECK-DAG: on 'with_static'
  tbb::parallel_for(oneapi::tbb::blocked_range<long>(0, 9, 100), [](const auto& r) { with_static = int(r.begin()); },
                    tbb::static_partitioner());
  tbb::affinity_partitioner affinity;
  // CHECK-DAG: on 'with_affinity'
  tbb::parallel_for(0, 9, each(with_affinity), affinity);
  tbb::task_group_context context;
  // CHECK-DAG: on 'with_context'
  tbb::parallel_for(0, 9, each(with_context), affinity, context);
  // CHECK-DAG: on 'with_2d'
  tbb::parallel_for(tbb::blocked_range2d<int>(0, 3, 0, 3), [](const tbb::blocked_range2d<int>& r) {
    if (r.rows().begin() == 1 && r.cols().begin() > 0) with_2d = 1;
  });
  // CHECK-DAG: on 'with_3d'
  tbb::parallel_for(tbb::blocked_range3d<int>(0, 3, 0, 3, 0, 3), [](const tbb::blocked_range3d<int>& r) {
    if (r.pages().begin() == 1 && r.rows().begin() > 0 && r.cols().begin() == 1) with_3d = 1;
  });
  // CHECK-DAG: on 'in_functor'
  tbb::parallel_for(tbb::blocked_range<int>(0, 9), body());
  std::vector<int> v(5);
  // CHECK-DAG: on 'by_iterator'
  tbb::parallel_for(tbb::blocked_range<std::vector<int>::iterator>(v.begin(), v.end()), [](const auto& r) {
    for (int& x : r) by_iterator = x;
  });
  // CHECK: {{^}}taskrace: 11 races
}

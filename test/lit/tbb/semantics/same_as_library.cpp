// What oneTBB promises to be the same in every run is what it is with the library itself, bit by bit.
// RUN: %clangxx -std=c++17 -O1 %s -o %t.real -ltbb && %t.real > %t.expected
// RUN: %taskrace c++ -O1 -g1 %s -o %t.detected && %taskrace run %t.detected > %t.out
// RUN: diff %t.expected %t.out
#include <tbb/tbb.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

using range = tbb::blocked_range<int>;

struct body {
  float sum = 0;
  body() = default;
  body(body&, tbb::split) {}
  void operator()(const range& r) {
    for (int i = r.begin(); i != r.end(); ++i) sum += std::sqrt(float(i));
  }
  void join(const body& right) { sum += right.sum; }
};

int main() {
  tbb::task_arena arena(8);
  arena.execute([] {
    std::printf("threads %d\n", tbb::this_task_arena::max_concurrency());
    for (int n : {0, 1, 9, 100, 1000, 12345}) {
      for (int grain : {1, 7, 100}) {
        const auto sum = [](const range& r, float x) {
          for (int i = r.begin(); i != r.end(); ++i) x += 1 / float(i + 1);
          return x;
        };
        const range all(0, n, grain);
        std::printf("%d %d %a", n, grain, tbb::parallel_deterministic_reduce(all, 0.f, sum, std::plus<float>()));
        std::printf(" %a", tbb::parallel_deterministic_reduce(all, 0.f, sum, std::plus<float>(),
                                                              tbb::static_partitioner()));
        body one, other;
        tbb::parallel_deterministic_reduce(all, one, tbb::simple_partitioner());
        tbb::parallel_deterministic_reduce(all, other, tbb::static_partitioner());
        std::printf(" %a %a\n", one.sum, other.sum);
      }
    }
  });
  // The cells of two and three dimensions, and the traits of mutexes.
  std::vector<int> cells(6 * 7 * 8);
  tbb::parallel_for(tbb::blocked_range3d<int>(0, 6, 2, 0, 7, 3, 0, 8, 1), [&](const tbb::blocked_range3d<int>& r) {
    for (int i = r.pages().begin(); i < r.pages().end(); ++i)
      for (int j = r.rows().begin(); j < r.rows().end(); ++j)
        for (int k = r.cols().begin(); k < r.cols().end(); ++k) cells[(i * 7 + j) * 8 + k] = i + j * k;
  });
  long sum = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) sum += long(i) * cells[i];
  std::printf("%ld %d %d %d %d\n", sum, tbb::spin_mutex::is_fair_mutex, tbb::queuing_mutex::is_fair_mutex,
              tbb::spin_rw_mutex::is_rw_mutex, tbb::queuing_rw_mutex::is_fair_mutex);
  try {
    tbb::parallel_for(0, 10, -1, [](int) {});
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
}

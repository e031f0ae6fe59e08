// Algorithms of std::execution whose elements are independent; searches use atomics inside.
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --exec=parallel --threads=2 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// CHECK: no schedule of this input has a determinacy race
#include <algorithm>
#include <cassert>
#include <deque>
#include <execution>
#include <numeric>
#include <vector>

int main() {
  std::vector<double> a(1000), b(1000), c(1000);
  std::deque<int> d(100, 1);
  std::iota(a.begin(), a.end(), 0.0);
  std::copy(std::execution::par, a.begin(), a.end(), b.begin());
  std::transform(std::execution::par_unseq, a.begin(), a.end(), b.begin(), c.begin(),
                 [](double x, double y) { return x + 3 * y; });
  std::for_each(std::execution::unseq, d.begin(), d.end(), [](int& x) { ++x; });
  std::for_each(std::execution::par, d.begin(), d.end(), [](int& x) { ++x; });
  assert(c[10] == 40 && d[99] == 3);
  assert(std::transform_reduce(std::execution::par, a.begin(), a.end(), b.begin(), 0.0) == 332833500);
  assert(*std::find(std::execution::par, a.begin(), a.end(), 500.0) == 500);
  assert(std::reduce(std::execution::par, d.begin(), d.end()) == 300);
  std::sort(std::execution::par, a.begin(), a.end(), [](double x, double y) { return x > y; });
  assert(a[0] == 999 && a[999] == 0);
  std::exclusive_scan(std::execution::par, b.begin(), b.end(), c.begin(), 0.0);
  assert(c[999] == 498501);
}

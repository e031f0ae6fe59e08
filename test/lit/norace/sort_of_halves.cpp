// Two sorts side by side, then a merge.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <algorithm>
#include <taskrace/tasks.hpp>
#include <vector>

int main() {
  std::vector<int> numbers(64);
  for (int i = 0; i < 64; ++i) numbers[i] = i * 37 % 64;
  const auto middle = numbers.begin() + 32;
  taskrace::parallel_invoke([&] { std::sort(numbers.begin(), middle); },
                            [&] { std::stable_sort(middle, numbers.end()); });
  std::inplace_merge(numbers.begin(), middle, numbers.end());
  return !std::is_sorted(numbers.begin(), numbers.end());
}
// CHECK: {{^}}taskrace: no races in 2 tasks

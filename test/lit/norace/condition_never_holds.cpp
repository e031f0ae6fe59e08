// A variable that a loop changes under a condition is not accessed if the condition never holds, at any level of
// optimisation.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O1 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto=thin %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

#include <vector>

int hits;
struct Result {
  long sum = 0;
  int count = 0;
};

// Only one half of the input has what is looked for.
__attribute__((noinline)) void Count(const std::vector<int>& in, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    if (in[i] == 7) hits++;
  }
}
__attribute__((noinline)) void Add(const std::vector<int>& in, size_t begin, size_t end,
                                   Result& result) {
  for (size_t i = begin; i < end; ++i) {
    if (in[i] != 7) continue;
    result.sum += in[i];
    if (i % 3 == 0) result.count++;
  }
}

int main() {
  std::vector<int> in(1000);
  for (size_t i = 0; i < 500; i += 10) in[i] = 7;
  Result result;
  taskrace::parallel_invoke([&] { Count(in, 0, 500); }, [&] { Count(in, 500, 1000); });
  taskrace::parallel_invoke([&] { Add(in, 0, 500, result); }, [&] { Add(in, 500, 1000, result); });
  return hits == 50 && result.sum == 350 ? 0 : 1;
}
// CHECK: taskrace: no races

// What an iteration does to variables of its own, and of functions that it calls, is nobody else's business until it
// creates a task: what the two do to them from then on is checked.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <numeric>
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

__attribute__((noinline)) void Fill(int* numbers, int n, int start) {
  std::iota(numbers, numbers + n, start);
}

__attribute__((noinline)) int Sum(int start) {
  int numbers[200];
  Fill(numbers, 200, start);
  return std::accumulate(numbers, numbers + 200, 0);
}

__attribute__((noinline)) void Add(int* sum, int number) { *sum += number; }

int main() {
  std::vector<int> sums(100);
  std::vector<std::string> words(100);
  taskrace::parallel_for(0, 100, [&](int i) {
    std::string word;
    for (int k = 0; k < i % 20; ++k) word += static_cast<char>('a' + k);
    sums[i] = Sum(i);
    words[i] = word;
  });
  taskrace::parallel_for(0, 100, [&](int i) {
    int sum = 0;
    Add(&sum, i);  // precedes the task
    if (i == 50) {
      taskrace::scope s;
      s.spawn([&] { Add(&sum, 1); });
      // CHECK: race: write-write on 'sum'
      // CHECK: earlier: write of 4 bytes by task
      // CHECK: later: write of 4 bytes by iteration 50
      // CHECK: #1{{.*}}variables_of_iterations.cpp:[[#@LINE+1]]:
      Add(&sum, 2);
    }
    sums[i] = sum;
  });
}
// CHECK: {{^}}taskrace: 1 race (

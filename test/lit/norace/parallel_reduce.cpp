// Sums of parts, the parts' results combined pair by pair.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

int main() {
  std::vector<int> numbers(100, 2);
  const long sum = taskrace::parallel_reduce(
      0, 100, 8, 0L,
      [&](int a, int b, long start) {
        for (int i = a; i < b; ++i) start += numbers[i];
        return start;
      },
      [](long a, long b) { return a + b; });
  const std::string text = taskrace::parallel_reduce(
      'a', 'z', 3, std::string(),
      [](char a, char b, std::string start) {
        for (char c = a; c < b; ++c) start += c;
        return start;
      },
      [](const std::string& a, const std::string& b) { return a + b; });
  return sum != 200 || text != "abcdefghijklmnopqrstuvwxy";
}
// CHECK: {{^}}taskrace: no races in {{[0-9]+}} tasks

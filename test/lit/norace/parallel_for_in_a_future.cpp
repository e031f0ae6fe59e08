// A loop inside a future is over when the future is.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int squares[8];

int main() {
  auto f = taskrace::make_future([] {
    taskrace::parallel_for(0, 8, [](int i) { squares[i] = i * i; });
    return taskrace::parallel_reduce(
        0, 8, 2, 0, [](int a, int b, int sum) {
          for (int i = a; i < b; ++i) sum += squares[i];
          return sum;
        },
        [](int left, int right) { return left + right; });
  });
  const int sum = f.get();
  squares[0] = sum;
  return sum != 140;
}
// CHECK: {{^}}taskrace: no races in

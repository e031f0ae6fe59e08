// The first task to come initialises the variable, with a guard; all read it.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

struct Table {
  int values[8];
  explicit Table(int factor) {
    for (int i = 0; i < 8; ++i) values[i] = i * factor;
  }
};

const Table& TheTable(int factor) {
  static Table table(factor);
  return table;
}

template <class Number>
Number Next(Number number) {
  static const Number step = number / 2;
  return number + step;
}

int sums[3];

int main() {
  taskrace::parallel_for(0, 3, [](int i) { sums[i] = TheTable(3).values[i] + Next(i + 2); });
  return sums[2] != 11;
}
// CHECK: {{^}}taskrace: no races in {{3 tasks|3 iterations of 1 loop}}

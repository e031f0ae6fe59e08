// Tasks write elements of one vector, which does not grow; vector<bool> by words.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>
#include <vector>

int main() {
  std::vector<short> numbers(8);
  std::vector<bool> bits(256);
  taskrace::parallel_for(0, 4, [&](int i) {
    numbers[2 * i] = short(i);
    numbers.at(2 * i + 1) = short(i);
    for (int bit = 64 * i; bit < 64 * i + 64; bit += 9) bits[bit] = true;
  });
  return numbers.back() != 3 || !bits[64];
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}

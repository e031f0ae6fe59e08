// The same with new and delete, arrays, and aligned memory.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <new>
#include <taskrace/tasks.hpp>

struct alignas(64) Line {
  int value;
};

int main() {
  taskrace::parallel_for(0, 4, [](int i) {
    int* number = new int(i);
    delete number;
    long* numbers = new long[10];
    numbers[9] = i;
    delete[] numbers;
    Line* line = new Line{i};
    line->value += 1;
    delete line;
  });
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}

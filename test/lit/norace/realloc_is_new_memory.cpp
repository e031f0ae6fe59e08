// Each task grows and shrinks its own block; the allocator hands the same memory around.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <cstdlib>
#include <taskrace/tasks.hpp>

int main() {
  taskrace::parallel_for(0, 4, [](int i) {
    int* p = static_cast<int*>(std::calloc(4, sizeof(int)));
    p[3] = i;
    p = static_cast<int*>(std::realloc(p, 4096));
    p[1023] = i;
    p = static_cast<int*>(std::realloc(p, 8));
    p[1] = p[0];
    std::free(p);
  });
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}

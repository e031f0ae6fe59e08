// Buffers that every thread has for itself, used by all of its iterations.
// RUN: cd %S
// RUN: %taskrace c++ -std=c++20 -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -std=c++20 -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <algorithm>
#include <cstdlib>
#include <vector>

void Fill(int* buffer, int value) {
  for (int k = 0; k < 8; k++) buffer[k] = value;
}

int result[100];

int main() {
  std::vector<int> given(8);
#pragma omp parallel firstprivate(given)
  {
    int on_stack[8];
    int* from_malloc = static_cast<int*>(std::malloc(8 * sizeof(int)));
    std::vector<int> grown;
#pragma omp for
    for (int i = 0; i < 100; i++) {
      Fill(on_stack, i);
      Fill(from_malloc, i);
      Fill(given.data(), i);
      grown.push_back(i);
      result[i] = on_stack[3] + from_malloc[4] + given[5] + grown.back();
    }
    std::free(from_malloc);
  }
  return result[99] - 4 * 99;
}
// CHECK: {{^}}taskrace: no races

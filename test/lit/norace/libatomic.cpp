// Large atomics are calls of libatomic, which are modelled: nothing is left unchecked.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t -latomic && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t -latomic && %taskrace run %t 2>&1 | %FileCheck %s
#include <atomic>
#include <taskrace/tasks.hpp>

struct Large {
  long a, b, c;
};
std::atomic<Large> shared;

int main() {
  taskrace::parallel_for(0, 3, [](int i) { shared.store({i, i, i}); });
  return shared.load().a < 0;
}
// CHECK-NOT: libatomic
// CHECK: {{^}}taskrace: no races in 3 iterations of 1 loop: no schedule of this input has a determinacy race

// Atomic with atomic: loads, stores, exchanges, every size.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <atomic>
#include <taskrace/tasks.hpp>

std::atomic<char> small;
std::atomic<int> count;
std::atomic<long> most;
std::atomic<double> sum;
std::atomic_flag flag = ATOMIC_FLAG_INIT;

int main() {
  taskrace::parallel_for(0, 4, [](int i) {
    small = char(i);
    ++count;
    long before = most.load(std::memory_order_relaxed);
    while (before < i && !most.compare_exchange_weak(before, i)) {
    }
    sum.exchange(i);
    flag.test_and_set();
  });
  return count != 4 || most != 3;
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}

// Threads that count themselves under a mutex, or keep their place in a thread_local.
// RUN: cd %S
// RUN: %taskrace c++ -std=c++20 -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -std=c++20 -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <atomic>
#include <mutex>

int by_mutex[16], by_local[16];
std::mutex mutex;
int threads;
std::atomic<int> places;
thread_local int* place = nullptr;

int main() {
#pragma omp parallel
  {
    int me;
    {
      const std::lock_guard<std::mutex> guard(mutex);
      me = threads++;
    }
#pragma omp for
    for (int i = 0; i < 100; i++) by_mutex[me]++;
  }
#pragma omp parallel for
  for (int i = 0; i < 100; i++) {
    if (place == nullptr) place = &by_local[places++];
    ++*place;
  }
}
// CHECK: {{^}}taskrace: no races

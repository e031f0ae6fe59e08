// Every mutex of oneTBB protects; allocators hand out memory that is new.
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --exec=parallel --threads=2 %t 2>&1 | %FileCheck %s
// CHECK: no schedule of this input has a determinacy race
#include <tbb/tbb.h>

#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <vector>

template <class Mutex>
void exclusive() {
  Mutex mutex;
  int count = 0;
  tbb::parallel_for(0, 50, [&](int i) {
    if (i % 3 == 0) {
      typename Mutex::scoped_lock lock(mutex);
      ++count;
    } else if (i % 3 == 1) {
      typename Mutex::scoped_lock lock;
      lock.acquire(mutex);
      ++count;
      lock.release();
    } else {
      std::lock_guard<Mutex> lock(mutex);
      ++count;
    }
  });
  assert(count == 50);
  typename Mutex::scoped_lock lock;
  assert(lock.try_acquire(mutex));
}
template <class Mutex>
void shared() {
  exclusive<Mutex>();
  Mutex mutex;
  int value = 0;
  tbb::parallel_for(0, 50, [&](int i) {
    typename Mutex::scoped_lock lock(mutex, /*write=*/false);
    const int seen = value;
    if (i % 5 == 0) {
      lock.upgrade_to_writer();
      value = seen + 1;
      lock.downgrade_to_reader();
    }
    (void)value;
  });
  std::shared_lock<Mutex> reader(mutex);
  assert(value > 0 && Mutex::is_rw_mutex);
}

template <template <class> class Allocator>
void allocators() {
  tbb::parallel_for(0, 50, [](int i) {
    std::vector<int, Allocator<int>> v;
    for (int k = 0; k < i; ++k) v.push_back(k);
  });
}

int main() {
  exclusive<tbb::mutex>();
  exclusive<tbb::spin_mutex>();
  exclusive<tbb::speculative_spin_mutex>();
  exclusive<tbb::queuing_mutex>();
  shared<tbb::rw_mutex>();
  shared<tbb::spin_rw_mutex>();
  shared<tbb::speculative_spin_rw_mutex>();
  shared<tbb::queuing_rw_mutex>();
  allocators<tbb::cache_aligned_allocator>();
  allocators<tbb::tbb_allocator>();
  allocators<tbb::scalable_allocator>();
  void* memory = scalable_aligned_malloc(100, 64);
  assert(reinterpret_cast<std::size_t>(memory) % 64 == 0);
  scalable_aligned_free(memory);
}

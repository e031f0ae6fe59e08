// A reader that writes, two mutexes for one variable, a null_mutex, an access after release.
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
#include <tbb/tbb.h>

int by_reader, two_locks, no_lock, released;
tbb::spin_rw_mutex readers;
tbb::spin_mutex one, other;

int main() {
  tbb::parallel_invoke(
      [] {
        tbb::spin_rw_mutex::scoped_lock lock(readers, false);
        by_reader = 1;  // CHECK-DAG: on 'by_reader'
      },
      [] {
        tbb::spin_rw_mutex::scoped_lock lock(readers, false);
        by_reader = 2;
      });
  tbb::parallel_for(0, 2, [](int i) {
    tbb::spin_mutex::scoped_lock lock(i == 0 ? one : other);
    two_locks = i;  // CHECK-DAG: on 'two_locks'
  });
  tbb::null_mutex nothing;
  tbb::parallel_for(0, 2, [&](int i) {
    tbb::null_mutex::scoped_lock lock(nothing);
    no_lock = i;  // CHECK-DAG: on 'no_lock'
  });
  tbb::parallel_for(0, 2, [](int i) {
    tbb::spin_mutex::scoped_lock lock(one);
    lock.release();
    released = i;  // CHECK-DAG: on 'released'
  });
  // CHECK: {{^}}taskrace: 4 races
}

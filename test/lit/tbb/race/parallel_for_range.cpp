// Leaves of a blocked_range read their neighbour's element; with a grain size only at the ends of leaves.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --exec=parallel --threads=2 %t 2>&1 | %FileCheck %s --check-prefix=PARALLEL
// PARALLEL-COUNT-2: race: {{.*}} on '{{[ab]}}'
#include <tbb/parallel_for.h>

int a[100], b[101];

int main() {
  // CHECK: race: read-write on 'a'
  // CHECK: earlier: read of 4 bytes by iteration 5
  tbb::parallel_for(tbb::blocked_range<int>(5, 99), [](const tbb::blocked_range<int>& r) {
    for (int i = r.begin(); i != r.end(); ++i) a[i] = a[i + 1] + 1;
    // CHECK: #0{{.*}}parallel_for_range.cpp:[[#@LINE-1]]:
    // CHECK-NEXT: iteration 5 of the loop at {{.*}}parallel_for_range.cpp:[[#@LINE-3]]:
    // CHECK: later: write of 4 bytes by iteration 6
    // CHECK: #0{{.*}}parallel_for_range.cpp:[[#@LINE-4]]:
  });
  // Halving makes 16 leaves of 6 or 7 indices.
  // CHECK: race: read-write on 'b'
  // CHECK: later: write of
  // CHECK: Seen 15 times.
  tbb::parallel_for(tbb::blocked_range<int>(0, 100, 10), [](const tbb::blocked_range<int>& r) {
    for (int i = r.begin(); i != r.end(); ++i) b[i] = b[i + 1] + 1;
  }, tbb::simple_partitioner());
}
// CHECK: {{^}}taskrace: 2 races

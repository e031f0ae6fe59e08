// A parallel filter with state; a filter that is serial but whose state another one reads; too small a ring buffer; a
// filter that excludes but does not order.
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
#include <tbb/parallel_pipeline.h>
#include <tbb/tbb.h>

int counted, seen, sum;
int ring[3];
int next;

int main() {
  tbb::parallel_pipeline(
      4, tbb::make_filter<void, int*>(tbb::filter_mode::serial_in_order,
                                      [](tbb::flow_control& control) -> int* {
                                        if (next == 10) {
                                          control.stop();
                                          return nullptr;
                                        }
                                        seen = next;
                                        return &ring[next++ % 3];
                                      }) &
             tbb::make_filter<int*, int*>(tbb::filter_mode::parallel,
                                          [](int* place) {
                                            // CHECK-DAG: on 'counted'
                                            counted = 1;
                                            // CHECK-DAG: on 'ring'
                                            *place = 2;
                                            return place;
                                          }) &
             tbb::make_filter<int*, int*>(tbb::filter_mode::serial_out_of_order,
                                          [](int* place) {
                                            sum += 1;
                                            return place;
                                          }) &
             tbb::make_filter<int*, void>(tbb::filter_mode::serial_in_order,
                                          // CHECK-DAG: on 'seen'
                                          [](int* place) { *place = seen; }));
  // CHECK-NOT: on 'sum'
}

// Filters of all kinds: order in serial filters, a ring buffer of as many places as there are tokens, exceptions.
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// CHECK: no schedule of this input has a determinacy race
#include <tbb/parallel_pipeline.h>
#include <tbb/tbb.h>

#include <cassert>
#include <string>
#include <vector>

int main() {
  constexpr int items = 50, tokens = 4;
  int next = 0, unordered = 0;
  long ring[tokens] = {};
  std::vector<std::string> out;
  tbb::parallel_pipeline(
      tokens,
      tbb::make_filter<void, long*>(tbb::filter_mode::serial_in_order,
                                    [&](tbb::flow_control& control) -> long* {
                                      if (next == items) {
                                        control.stop();
                                        return nullptr;
                                      }
                                      long* place = &ring[next % tokens];
                                      *place = next++;
                                      return place;
                                    }) &
          tbb::make_filter<long*, long*>(tbb::filter_mode::parallel,
                                         [](long* place) {
                                           *place *= 2;
                                           return place;
                                         }) &
          tbb::make_filter<long*, std::string>(tbb::filter_mode::serial_in_order,
                                               [](long* place) { return std::to_string(*place); }) &
          tbb::make_filter<std::string, std::string>(tbb::filter_mode::serial_out_of_order,
                                                     [&](std::string s) {
                                                       ++unordered;
                                                       return s + "!";
                                                     }) &
          tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order,
                                              [&](std::string s) { out.push_back(s); }));
  assert(out.size() == items && out[10] == "20!" && out[49] == "98!" && unordered == items);

  // Types from the bodies; one token; a context.
  tbb::task_group_context context;
  int left = 5, last = 0, shared = 0;
  tbb::filter source(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
    if (left == 0) control.stop();
    return left--;
  });
  tbb::filter<void, void> all = source & tbb::filter(tbb::filter_mode::parallel, [&](int x) { last = x; ++shared; });
  tbb::parallel_pipeline(1, all, context);
  assert(last == 1 && shared == 5);

  // A filter that does it all; an exception.
  int runs = 0;
  tbb::parallel_pipeline(3, tbb::make_filter<void, void>(tbb::filter_mode::serial_in_order,
                                                         [&](tbb::flow_control& control) {
                                                           if (++runs == 4) control.stop();
                                                         }));
  assert(runs == 4);
  try {
    int n = 0;
    tbb::parallel_pipeline(2, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                                          [&](tbb::flow_control&) { return n++; }),
                           tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int x) {
                             if (x == 7) throw x;
                           }));
    assert(false);
  } catch (int x) {
    assert(x == 7);
  }
}

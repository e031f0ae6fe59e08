// What belongs to a thread: elements of enumerable_thread_specific and combinable, arrays by current_thread_index().
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// CHECK: no schedule of this input has a determinacy race
#include <tbb/tbb.h>

#include <cassert>
#include <functional>
#include <map>
#include <string>
#include <vector>

int main() {
  tbb::enumerable_thread_specific<long> sums(10);
  tbb::combinable<std::vector<int>> lists;
  tbb::enumerable_thread_specific<std::map<int, std::string>> maps([] { return std::map<int, std::string>(); });
  tbb::parallel_for(0, 500, [&](int i) {
    sums.local() += i;
    lists.local().push_back(i);
    maps.local()[i] = std::to_string(i);
  });
  assert(sums.size() > 1);
  assert(sums.combine(std::plus<long>()) == 124750 + 10 * long(sums.size()));
  std::size_t items = 0, strings = 0;
  lists.combine_each([&](const std::vector<int>& list) { items += list.size(); });
  for (const auto& map : maps) strings += map.size();
  assert(items == 500 && strings == 500);
  tbb::enumerable_thread_specific<std::vector<int>> vectors;
  tbb::parallel_for(0, 100, [&](int i) { vectors.local().push_back(i); });
  int flat = 0;
  for (int x : tbb::flatten2d(vectors)) flat += x;
  assert(flat == 4950 && tbb::flatten2d(vectors).size() == 100);
  tbb::enumerable_thread_specific<std::vector<int>> copy(vectors), sized(3, 7);
  assert(copy.size() == vectors.size() && sized.local() == std::vector<int>({7, 7, 7}));
  bool exists = true;
  assert((tbb::combinable<int>([] { return 5; }).local(exists) == 5 && !exists));

  std::vector<long> slots(tbb::this_task_arena::max_concurrency());
  tbb::parallel_for(0, 100, [&](int i) { slots[tbb::this_task_arena::current_thread_index()] += i; });
  // An arena of fewer threads has fewer slots.
  tbb::task_arena arena(3);
  long few[3] = {};
  arena.execute([&] {
    tbb::parallel_for(0, 100, [&](int i) { few[tbb::this_task_arena::current_thread_index()] += i; });
  });
  long total = 0;
  for (long slot : slots) total += slot;
  assert(total == 4950 && few[0] + few[1] + few[2] == 4950);
}

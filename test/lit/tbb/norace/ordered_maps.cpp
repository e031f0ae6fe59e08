// Ordered maps and sets: sorted whatever the order of insertions, and what is found was inserted before.
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// CHECK: no schedule of this input has a determinacy race
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_set.h>
#include <tbb/tbb.h>

#include <algorithm>
#include <cassert>
#include <string>

int main() {
  tbb::concurrent_map<std::string, int> map;
  tbb::concurrent_multimap<int, int> multimap;
  tbb::concurrent_set<int, std::greater<int>> set;
  tbb::concurrent_multiset<int> multiset;
  tbb::parallel_for(0, 60, [&](int i) {
    map[std::to_string(i)] = i;
    multimap.insert({i % 6, i});
    set.insert(i % 20);
    multiset.emplace(i % 20);
  });
  assert(map.size() == 60 && map.at("17") == 17 && map.contains("3") && !map.contains("x"));
  assert(std::is_sorted(map.begin(), map.end()) && multimap.count(2) == 10);
  assert(set.size() == 20 && *set.begin() == 19 && multiset.count(7) == 3 && multiset.size() == 60);
  assert(*multiset.lower_bound(7) == 7 && *multiset.upper_bound(7) == 8 && set.find(20) == set.end());
  assert(map.unsafe_erase("17") == 1 && map.find("17") == map.end() && multimap.unsafe_erase(2) == 10);
  tbb::concurrent_map<std::string, int> copy(map);
  assert(copy == map);
  int last = -1;
  for (int x : multiset) assert(x >= last), last = x;

  tbb::concurrent_map<int, int*> published;
  tbb::task_group group;
  group.run([&] { published.insert({1, new int(5)}); });
  if (auto at = published.find(1); at != published.end()) assert(*at->second == 5);
  group.wait();
  delete published.at(1);
}

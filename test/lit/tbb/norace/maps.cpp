// Maps, sets and priority queues: what is found was inserted before; accessors are locks.
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// CHECK: no schedule of this input has a determinacy race
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/tbb.h>

#include <cassert>
#include <string>
#include <vector>

int main() {
  // Counts of words: the first task inserts, others add under the accessor.
  using table = tbb::concurrent_hash_map<std::string, int>;
  table counts;
  const std::vector<std::string> words = {"a", "b", "a", "c", "a", "b"};
  tbb::parallel_for(0, 60, [&](int i) {
    table::accessor a;
    counts.insert(a, words[i % 6]);
    a->second += 1;
  });
  assert(counts.size() == 3);
  table::const_accessor found;
  assert(counts.find(found, "a") && found->second == 30 && found->first == "a");
  found.release();
  tbb::parallel_for(0, 20, [&](int i) {
    table::accessor a;
    if (i % 2 == 0) {
      counts.erase("b");
    } else if (counts.find(a, "b")) {
      a->second = i;
    }
    counts.insert({std::to_string(i), i});
  });
  assert(counts.count("b") == 0 && counts.count("19") == 1 && counts.size() == 22);
  long sum = 0;
  for (const auto& entry : counts) sum += entry.second;
  assert(sum == 30 + 10 + 190);

  // An object that was filled before its insertion.
  tbb::concurrent_unordered_map<int, std::vector<int>*> published;
  tbb::task_group group;
  group.run([&] {
    auto* filled = new std::vector<int>{1, 2, 3};
    published.insert({7, filled});
  });
  if (auto at = published.find(7); at != published.end()) assert(at->second->size() == 3);
  group.wait();
  delete published.at(7);
  tbb::concurrent_unordered_map<std::string, int> by_name;
  tbb::parallel_for(0, 100, [&](int i) { by_name[std::to_string(i)] = i; });
  assert(by_name.size() == 100 && by_name["42"] == 42 && by_name.contains("7") && !by_name.contains("x"));
  assert(by_name.unsafe_erase("42") == 1 && by_name.count("42") == 0);
  tbb::parallel_for(by_name.range(), [](const auto& part) { for (auto& entry : part) entry.second = 1; });

  tbb::concurrent_unordered_set<int> set;
  tbb::concurrent_unordered_multiset<int> multi;
  tbb::concurrent_unordered_multimap<int, int> multimap;
  tbb::parallel_for(0, 100, [&](int i) {
    set.insert(i % 10);
    multi.emplace(i % 10);
    multimap.insert({i % 10, i});
  });
  assert(set.size() == 10 && multi.count(3) == 10 && multimap.count(3) == 10 && multi.size() == 100);

  tbb::concurrent_priority_queue<int> queue;
  tbb::parallel_for(0, 100, [&](int i) { queue.push(i * 37 % 100); });
  int last = 100, item;
  while (queue.try_pop(item)) {
    assert(item == last - 1);
    last = item;
  }
  assert(last == 0);
}

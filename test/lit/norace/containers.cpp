// Each task fills containers of its own.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <deque>
#include <list>
#include <map>
#include <set>
#include <taskrace/tasks.hpp>
#include <unordered_map>
#include <vector>

int main() {
  std::vector<int> sums(4);
  taskrace::parallel_for(0, 4, [&](int i) {
    std::vector<int> vector;
    std::deque<int> deque;
    std::list<int> list;
    std::map<int, int> map;
    std::set<int> set;
    std::unordered_map<int, int> table;
    for (int n = 0; n < 40; ++n) {
      vector.push_back(n);
      deque.push_front(n);
      list.push_back(n);
      map[n * 7 % 40] = n;
      set.insert(n * 11 % 40);
      table[n] = i;
    }
    for (int n = 0; n < 20; ++n) {
      map.erase(n);
      set.erase(n);
      table.erase(n);
      list.pop_front();
    }
    sums[i] = vector[3] + deque[3] + list.front() + map.begin()->first + *set.begin() + table[30];
  });
  return sums[3] != 3 + 36 + 20 + 20 + 20 + 3;
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}

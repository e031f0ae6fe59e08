// Lookups in shared containers write nothing.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <map>
#include <string>
#include <taskrace/tasks.hpp>
#include <unordered_map>
#include <vector>

int main() {
  std::map<std::string, int> map;
  std::unordered_map<std::string, int> table;
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) names.push_back("number " + std::to_string(i));
  for (int i = 0; i < 8; ++i) map[names[i]] = table[names[i]] = i;
  int sums[8];
  taskrace::parallel_for(0, 8, [&](int i) {
    sums[i] = map.find(names[i])->second + table.at(names[i]) + int(map.count("number 9"));
    for (const auto& [name, number] : map) sums[i] += number * (name == names[i]);
  });
  return sums[7] != 21;
}
// CHECK: {{^}}taskrace: no races in {{8 tasks|8 iterations of 1 loop}}

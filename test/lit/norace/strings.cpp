// Strings of their own, copies of a shared one, literals.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <string>
#include <taskrace/tasks.hpp>

int main() {
  const std::string shared = "a text that is too long for the string object itself";
  std::string results[4];
  taskrace::parallel_for(0, 4, [&](int i) {
    std::string text = shared;
    for (int n = 0; n < 40; ++n) text += char('a' + i);
    text.append(shared, 0, 10).insert(3, "xyz");
    results[i] = text.substr(50) + std::to_string(i);
  });
  return results[3].back() != '3';
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}

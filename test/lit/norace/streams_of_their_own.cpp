// A string stream a task.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <sstream>
#include <string>
#include <taskrace/tasks.hpp>

int main() {
  std::string results[3];
  taskrace::parallel_for(0, 3, [&](int i) {
    std::ostringstream out;
    out << "task " << i << ": " << i * 0.5;
    std::istringstream in(out.str());
    in >> results[i];
  });
  return results[2] != "task";
}
// CHECK: {{^}}taskrace: no races in {{3 tasks|3 iterations of 1 loop}}

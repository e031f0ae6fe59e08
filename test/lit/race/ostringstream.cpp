// Unlike the standard streams, one that the program made is not for two tasks.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <sstream>
#include <taskrace/tasks.hpp>

int main() {
  std::ostringstream out;
  taskrace::scope s;
  // CHECK: race: {{.*}} on 'out'
  s.spawn([&] { out << 1; });
  // CHECK: #{{.*}}ostringstream.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([&] { out << "two"; });
  // CHECK: #{{.*}}ostringstream.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: {{[0-9]+}} race

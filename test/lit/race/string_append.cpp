// Two tasks append to one string, within its buffer and beyond it.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <string>
#include <taskrace/tasks.hpp>

int main() {
  std::string text;
  taskrace::scope s;
  // CHECK: race: {{.*}} on 'text'
  s.spawn([&] { text += "a few words that need a block of their own"; });
  // CHECK: #{{.*}}string_append.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([&] { text += 'b'; });
  // CHECK: #{{.*}}string_append.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: {{[0-9]+}} race

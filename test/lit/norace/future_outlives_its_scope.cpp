// A scope does not wait for a future made inside; the get does.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

taskrace::future<int> Start() {
  taskrace::scope s;
  taskrace::future<int> made;
  s.spawn([&made] { made = taskrace::make_future([] { return x = 1; }); });
  s.sync();
  return made;
}

int main() {
  taskrace::future<int> f = Start();
  const int got = f.get();
  x = 2;
  return got != 1;
}
// CHECK: {{^}}taskrace: no races in 2 tasks

// The result of a std::packaged_task is ordered before those who get it, as that of call_once.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <future>
#include <taskrace/tasks.hpp>

int seen;

int main() {
  std::packaged_task<int()> task([] { return 100; });
  std::future<int> result = task.get_future();
  taskrace::scope s;
  s.spawn([&] { task(); });
  s.spawn([&] { seen = result.get(); });
  s.sync();
  return seen != 100;
}
// CHECK: {{^}}taskrace: no races in 2 tasks

// Two tasks that each run a std::packaged_task: its function is checked, though the library runs it
// inside of call_once. An exception from it leaves the regions as they were.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <future>
#include <stdexcept>
#include <taskrace/tasks.hpp>

int counter, after;

int main() {
  taskrace::scope s;
  for (int i = 0; i < 2; ++i) {
    s.spawn([i] {
      std::packaged_task<int(int)> task([](int step) {
        // CHECK: race: write-write on 'counter'
        // CHECK: #0{{.*}}packaged_task.cpp:[[#@LINE+1]]:
        counter += step;
        if (step == 2) throw std::runtime_error("two");
        return step;
      });
      task(i + 1);
      // CHECK: race: write-write on 'after'
      // CHECK: #0{{.*}}packaged_task.cpp:[[#@LINE+1]]:
      ++after;
    });
  }
  s.sync();
}
// CHECK: {{^}}taskrace: 2 races

// The setter uses a variable on the stack of the task that waits.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int main() {
  int result = 0;
  taskrace::promise<int*> address;
  taskrace::promise<void> done;
  taskrace::finish([&] {
    taskrace::async([&] {
      int local = 1;
      address.set_value(&local);
      done.get_future().get();
      result = local;
    });
    *address.get_future().get() += 41;
    done.set_value();
  });
  return result != 42;
}
// CHECK: {{^}}taskrace: no races in 1 task

// A function is called with a variable of the caller's own, and through its address with one that is
// shared.
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

[[gnu::noinline]] void Add(int& number) {
  // CHECK: function_that_is_passed_private_memory_as_well.cpp:[[@LINE+2]]
  // CHECK: function_that_is_passed_private_memory_as_well.cpp:[[@LINE+1]]
  ++number;
}

void (*volatile add)(int&) = Add;

int main() {
  int own = 0, shared = 0;
  Add(own);
  taskrace::scope tasks;
  tasks.spawn([&] { add(shared); });
  add(shared);
  tasks.sync();
  return own + shared - 3;
}

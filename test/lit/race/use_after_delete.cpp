// The continuation of the creator deletes an object that a task has still to write.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

struct Node {
  int value = 0;
  Node* next = nullptr;
};

int main() {
  Node* node = new Node;
  taskrace::scope s;
  // CHECK: race: write-write on a heap block of 16 bytes
  // CHECK: earlier: write of 4 bytes by task 1
  s.spawn([=] { node->value = 1; });
  // CHECK: #0{{.*}}use_after_delete.cpp:[[#@LINE-1]]:
  // CHECK: later: free of a block of 16 bytes by the main task
  delete node;
  // CHECK: #0{{.*}}use_after_delete.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: bytes 0 to 3 of it
// CHECK: {{^}}taskrace: 1 race

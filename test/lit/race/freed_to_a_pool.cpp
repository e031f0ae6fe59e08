// One task gives a node back to its pool while a parallel one reads it, before or after.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/annotate.h>

#include <taskrace/tasks.hpp>

struct Node {
  Node* next;
  int value;
};
Node nodes[2];
Node* list;

void GiveBack(Node* node) {
  node->next = list;
  list = node;
  // CHECK: race: read-write on 'nodes'
  // CHECK: later: free of a block of 16 bytes by task 2
  // CHECK: #0{{.*}}freed_to_a_pool.cpp:[[#@LINE+4]]:
  // CHECK: race: write-read on 'nodes'
  // CHECK: earlier: free of a block of 16 bytes by task 2
  // CHECK: #0{{.*}}freed_to_a_pool.cpp:[[#@LINE+1]]:
  TASKRACE_FREED_RANGE(node, sizeof *node);
}

int main() {
  taskrace::scope s;
  int before = 0, after = 0;
  s.spawn([&] { before = nodes[0].value; });
  s.spawn([] {
    GiveBack(&nodes[0]);
    GiveBack(&nodes[1]);
  });
  s.spawn([&] { after = nodes[1].value; });
  s.sync();
  return before + after;
}
// CHECK: {{^}}taskrace: 2 races

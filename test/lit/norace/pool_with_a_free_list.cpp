// A pool with a lock says what it takes back and what it hands out.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/annotate.h>

#include <mutex>
#include <taskrace/tasks.hpp>

struct Node {
  Node* next;
  int value;
};
Node nodes[1];
Node* list = nodes;
std::mutex lock;
int results[8];

void GiveBack(Node* node) {
  std::lock_guard<std::mutex> guard(lock);
  node->next = list;
  list = node;
  TASKRACE_FREED_RANGE(node, sizeof *node);
}

Node* Take() {
  std::lock_guard<std::mutex> guard(lock);
  Node* node = list;
  TASKRACE_FORGET_RANGE(node, sizeof *node);
  list = node->next;
  return node;
}

int main() {
  taskrace::parallel_for(0, 8, [](int i) {
    Node* node = Take();
    node->value = i;
    results[i] = node->value;
    GiveBack(node);
  });
  return results[7] != 7;
}
// CHECK: {{^}}taskrace: no races in {{8 tasks|8 iterations of 1 loop}}

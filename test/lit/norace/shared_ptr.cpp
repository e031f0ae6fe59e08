// Copies of a shared_ptr are released in parallel; whoever is last destroys the object.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <memory>
#include <taskrace/tasks.hpp>

struct Node {
  int value = 1;
  std::shared_ptr<Node> next;
};

int seen[4];

int main() {
  taskrace::scope s;
  {
    auto node = std::make_shared<Node>();
    node->next = std::shared_ptr<Node>(new Node);
    for (int i = 0; i < 4; ++i) {
      s.spawn([node, i]() mutable {
        seen[i] = node->value + node->next->value;
        node.reset();
      });
    }
  }
  s.sync();
  return seen[3] != 2;
}
// CHECK: {{^}}taskrace: no races in 4 tasks

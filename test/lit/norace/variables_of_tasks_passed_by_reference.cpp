// Variables of parallel tasks, at the same place of the stack, whose address callees get: inline ones,
// one that others might call too, and the link of a list that begins with a variable.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

struct Node {
  Node* next;
};

Node nodes[64][4];
long sums[64];

[[gnu::noinline]] inline void Fill(long* values, long with) {
  for (int k = 0; k < 4; ++k) values[k] = with;
}

[[gnu::noinline]] long Sum(const long* values) {
  return values[0] + values[1] + values[2] + values[3];
}

[[gnu::noinline]] long Hang(Node* from) {
  Node* first;
  Node** link = &first;
  for (int k = 0; k < 4; ++k) {
    *link = &from[k];
    link = &from[k].next;
  }
  *link = nullptr;
  long count = 0;
  for (Node* node = first; node != nullptr; node = node->next) ++count;
  return count;
}

int main() {
  taskrace::parallel_for(0, 64, [](int i) {
    long values[4];
    Fill(values, i);
    values[i % 4] += 1;
    taskrace::scope s;
    s.spawn([i] { sums[i] = Hang(nodes[i]); });
    s.sync();
    sums[i] += Sum(values);
  });
}
// CHECK: {{^}}taskrace: no races in {{128 tasks|64 iterations of 1 loop, 128 tasks}}

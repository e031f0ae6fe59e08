// Accesses of several lines that are one check have the name of their function, also if nothing of the program
// stands before it, where symbolizers would take the name of what does.
// RUN: cd %S
// RUN: %taskrace c++ -O2 -DFIRST -c %s -o %t.o
// RUN: %taskrace c++ -O2 %t.o %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>
#include <vector>

struct Collector {
  std::vector<int> values;
  void Add(int i);
};

#ifdef FIRST
void Collector::Add(int i) {
  values.push_back(i);
}
#else
int main() {
  Collector c;
  // CHECK: earlier: write of 8 bytes
  // CHECK: #2 Collector::Add(int) {{.*}}.cpp:[[#@LINE-6]]:
  // CHECK: later: read of 16 bytes
  // CHECK: #1 Collector::Add(int) {{.*}}.cpp:[[#@LINE-8]]:
  taskrace::parallel_invoke([&c] { c.Add(1); }, [&c] { c.Add(2); });
}
#endif

// A future that nobody gets races with everything that follows: one cause, one group.
// RUN: cd %S
// RUN: %taskrace c++ -O1 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --group=0 %t 2>&1 | %FileCheck --check-prefix=ALL %s
#include <cstdio>
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

struct Index {
  std::vector<std::string> names;
  long words = 0, lines = 0, bytes = 0;
};

void read(Index& index) {
  for (int i = 0; i < 20; ++i) {
    index.names.push_back("a name that is longer than a small string");
    index.words += 8;
    index.lines += 1;
    index.bytes += 42;
  }
}

int main() {
  Index index;
  auto ready = taskrace::make_future([&] { read(index); });
  std::printf("%ld lines, %ld words, %ld bytes\n", index.lines, index.words, index.bytes);
  for (const std::string& name : index.names) std::printf("%s\n", name.c_str());
}
// CHECK-COUNT-3: taskrace: race:
// CHECK-NOT: taskrace: race:
// CHECK: taskrace: {{[0-9]+}} more races between the same tasks
// CHECK-NEXT: on 'index': forgotten_get.cpp:{{.*}} and forgotten_get.cpp:
// CHECK-NOT: taskrace: race:
// CHECK: taskrace: {{[0-9]+}} races
// ALL-COUNT-6: taskrace: race:
// ALL-NOT: more races between

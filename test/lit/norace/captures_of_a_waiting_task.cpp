// A closure lives until its task has ended, wherever its creator is by then.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <string>
#include <taskrace/tasks.hpp>

struct Big {
  char bytes[5000];
};

std::string texts[3];

void Start(const taskrace::shared_future<void>& go) {
  Big big = {};
  big.bytes[4999] = 'b';
  for (int i = 0; i < 3; ++i) {
    std::string text(40, static_cast<char>('a' + i));
    taskrace::async([go, big, text, i] {
      go.get();
      texts[i] = text + big.bytes[4999];
    });
  }
}

int main() {
  taskrace::promise<void> p;
  taskrace::finish([&p] {
    Start(p.get_future());
    p.set_value();
  });
  return texts[2] != std::string(40, 'c') + 'b';
}
// CHECK: {{^}}taskrace: no races in 3 tasks

// The standard streams may be shared, iostream and stdio alike.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <cstdio>
#include <iostream>
#include <string>
#include <taskrace/tasks.hpp>

int main() {
  const std::string text = "text";
  taskrace::parallel_for(0, 3, [&](int i) {
    std::cout << "task " << i << ' ' << 1.5 << text << std::endl;
    std::cerr << "task " << i << '\n';
    std::printf("task %d of %s\n", i, text.c_str());
    std::fputs("done\n", stderr);
  });
}
// CHECK: {{^}}taskrace: no races in {{3 tasks|3 iterations of 1 loop}}

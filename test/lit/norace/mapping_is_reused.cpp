// The kernel gives a page that one task unmapped to a parallel one.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <sys/mman.h>

#include <taskrace/tasks.hpp>

void* pages[3];

int main() {
  taskrace::parallel_for(0, 3, [](int i) {
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static_cast<char*>(page)[7] = 1;
    pages[i] = page;
    munmap(page, 4096);
  });
  // Without reuse the program shows nothing. (The runtime may map pages of its own at first.)
  return pages[1] != pages[2];
}
// CHECK: {{^}}taskrace: no races in {{3 tasks|3 iterations of 1 loop}}

// MAP_FIXED over a page that a finished task wrote: new memory, without munmap in between.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <sys/mman.h>

#include <taskrace/tasks.hpp>

int main() {
  const int access = PROT_READ | PROT_WRITE;
  const int kind = MAP_PRIVATE | MAP_ANONYMOUS;
  char* page = static_cast<char*>(mmap(nullptr, 4096, access, kind, -1, 0));
  page[0] = 1;
  taskrace::scope s;
  s.spawn([=] { page[0] = 2; });
  s.sync();
  mmap(page, 4096, access, kind | MAP_FIXED, -1, 0);
  s.spawn([=] { page[0] = 3; });
  s.sync();
  return page[0] != 3;
}
// CHECK: {{^}}taskrace: no races in 2 tasks

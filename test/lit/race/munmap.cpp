// One task unmaps the page that a parallel one writes.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <sys/mman.h>

#include <taskrace/tasks.hpp>

int main() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  taskrace::scope s;
  // CHECK: race: write-write on memory
  // CHECK: earlier: write of 1 byte by task 1
  s.spawn([=] { static_cast<char*>(page)[4095] = 1; });
  // CHECK: #0{{.*}}munmap.cpp:[[#@LINE-1]]:
  // CHECK: later: {{.*}} by task 2
  s.spawn([=] { munmap(page, 4096); });
  // CHECK: #0{{.*}}munmap.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race

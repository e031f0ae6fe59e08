// Both stacks, and where each thread was started.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <thread>

int value;

int main() {
  // CHECK: race: write-write on 'value'
  // CHECK: earlier: write of 4 bytes by thread 1
  // CHECK: #0{{.*}}two_threads.cpp:[[#@LINE+2]]:
  // CHECK: thread 1 started at {{.*}}two_threads.cpp:[[#@LINE+1]]:
  std::thread first([] { value = 1; });
  // CHECK: later: write of 4 bytes by thread 2
  // CHECK: #0{{.*}}two_threads.cpp:[[#@LINE+3]]:
  // CHECK: thread 2 started at {{.*}}two_threads.cpp:[[#@LINE+1]]:
  std::thread second([] {
    value = 2;
  });
  first.join();
  second.join();
}
// CHECK: {{^}}taskrace: 1 race (1 occurrence) in 2 tasks

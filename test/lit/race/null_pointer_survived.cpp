// A write through a null pointer that a handler of SIGSEGV survives, after few and after many accesses:
// the races around it are found, and nothing else is.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --history=intervals %t 2>&1 | %FileCheck %s
#include <csetjmp>
#include <csignal>
#include <taskrace/tasks.hpp>

sigjmp_buf back;
char many[1 << 24];
int few;

void WriteThroughNull() {
  int* volatile nothing = nullptr;
  if (sigsetjmp(back, 1) == 0) *nothing = 1;
}

int main() {
  std::signal(SIGSEGV, [](int) { siglongjmp(back, 1); });
  taskrace::scope s;
  for (int i = 0; i < 2; ++i) {
    s.spawn([] {
      WriteThroughNull();
      // CHECK-DAG: race: write-write on 'few'
      // CHECK-DAG: #0{{.*}}null_pointer_survived.cpp:[[#@LINE+1]]:
      ++few;
      for (int at = 0; at < (1 << 24); at += 4099) {
        // CHECK-DAG: race: write-write on 'many'
        // CHECK-DAG: #0{{.*}}null_pointer_survived.cpp:[[#@LINE+1]]:
        ++*static_cast<volatile char*>(&many[at]);
        if (at % 3 == 0) WriteThroughNull();
      }
    });
  }
  s.sync();
}
// CHECK: {{^}}taskrace: 2 races

// The race is in a library that is loaded by the program and unloaded before the report.
// RUN: cd %S
// RUN: %taskrace cc -O0 -fPIC -shared %S/Inputs/counter.c -o %t.so
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t %t.so 2>&1 | %FileCheck %s
// RUN: %taskrace cc -O2 -fPIC -shared %S/Inputs/counter.c -o %t.so
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t %t.so 2>&1 | %FileCheck %s
#include <dlfcn.h>

#include <taskrace/tasks.hpp>

int main(int, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) return 1;
  auto count = reinterpret_cast<void (*)()>(dlsym(library, "CountOne"));
  taskrace::scope s;
  // CHECK: race: write-write on 'counter_value'
  // CHECK: #0 CountOne {{.*}}counter.c:5:
  s.spawn([=] { count(); });
  // CHECK: #{{.*}}dlopened_library.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 4 bytes
  // CHECK: #0 CountOne {{.*}}counter.c:5:
  s.spawn([=] { count(); });
  // CHECK: #{{.*}}dlopened_library.cpp:[[#@LINE-1]]:
  s.sync();
  dlclose(library);
}
// CHECK: {{^}}taskrace: 1 race

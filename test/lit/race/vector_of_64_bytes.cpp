// A 64-byte vector load, of which an element in the middle is written.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

typedef int Vector __attribute__((ext_vector_type(16)));
alignas(64) int a[16];
Vector copy;

int main() {
  taskrace::scope s;
  // CHECK: race: read-write on 'a'
  // CHECK: earlier: read of 64 bytes
  s.spawn([] { copy = *reinterpret_cast<Vector*>(a); });
  // CHECK: #0{{.*}}vector_of_64_bytes.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 4 bytes
  s.spawn([] { a[9] = 1; });
  // CHECK: #0{{.*}}vector_of_64_bytes.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: bytes 36 to 39 of it
// CHECK: {{^}}taskrace: 1 race

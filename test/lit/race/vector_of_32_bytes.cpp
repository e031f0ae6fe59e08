// The last element of a 32-byte vector store.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

typedef float Vector __attribute__((ext_vector_type(8)));
alignas(32) float a[16];

int main() {
  taskrace::scope s;
  // CHECK: race: write-read on 'a'
  // CHECK: earlier: write of 32 bytes
  s.spawn([] { *reinterpret_cast<Vector*>(a) = Vector(1); });
  // CHECK: #0{{.*}}vector_of_32_bytes.cpp:[[#@LINE-1]]:
  // CHECK: later: read of 4 bytes
  bool wrong = a[7] != 1;
  // CHECK: #0{{.*}}vector_of_32_bytes.cpp:[[#@LINE-1]]:
  s.sync();
  return wrong;
}
// CHECK: bytes 28 to 31 of it
// CHECK: {{^}}taskrace: 1 race

// A heap block whose address never leaves the function cannot be shared.
// RUN: %clangxx %instrument -O1 -fno-unroll-loops -S -emit-llvm %s -o - | %FileCheck %s
#include <cstdlib>
void use(int*);

// CHECK-LABEL: @stays(
// CHECK-NOT: call void @__taskrace_{{read|write}}
// CHECK: ret i32
extern "C" int stays(int n, int i) {
  int* p = static_cast<int*>(std::malloc(4ul * n));
  if (p == nullptr) return 0;
  for (int k = 0; k < n; ++k) p[k] = k * k;
  const int result = p[i];
  std::free(p);
  return result;
}

// CHECK-LABEL: @stays_new(
// CHECK-NOT: call void @__taskrace_{{read|write}}
// CHECK: ret i32
extern "C" int stays_new(unsigned long n, int i) {
  int* p = new int[n];
  for (unsigned long k = 0; k < n; ++k) p[k] = static_cast<int>(k * k);
  const int result = p[i];
  delete[] p;
  return result;
}

// CHECK-LABEL: @passed_on(
// CHECK: call void @__taskrace_write4(
extern "C" void passed_on() {
  int* p = static_cast<int*>(std::malloc(4));
  use(p);
  *p = 1;
  std::free(p);
}

// CHECK-LABEL: @returned(
// CHECK: call void @__taskrace_write4(
extern "C" int* returned() {
  int* p = static_cast<int*>(std::malloc(4));
  *p = 1;
  return p;
}

int* kept;
// CHECK-LABEL: @stored(
// CHECK: call void @__taskrace_write4(
extern "C" void stored(int i) {
  int* p = static_cast<int*>(std::malloc(4));
  *p = i;
  kept = p;
}

// The index of a matrix is computed in an int: it moves in equal steps all the same.
// RUN: %clangxx %instrument -O2 -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <stddef.h>

extern "C" int __taskrace_iteration(size_t k) noexcept;
struct Closure {
  double *a, *b;
  int n;
};

// CHECK-LABEL: @matrix(
// CHECK: call void @__taskrace_loop_read(ptr %{{.*}}, i64 %[[ROW:.*]], i64 1, i64 0, ptr null, i64 %[[STEP:.*]], i64 %begin,
// CHECK: call void @__taskrace_loop_write(ptr %{{.*}}, i64 %[[ROW]], i64 1, i64 0, ptr null, i64 %[[STEP]], i64 %begin,
// CHECK-NOT: call {{void|i32}} @__taskrace_
// CHECK: {{^}}}
extern "C" void matrix(const Closure* closure, int first, size_t begin, size_t end) {
  int i = first;
  for (size_t k = begin; k != end && __taskrace_iteration(k) != 0; ++k, ++i) {
    for (int j = 0; j < closure->n; ++j) closure->b[i * closure->n + j] = closure->a[i * closure->n + j];
  }
}

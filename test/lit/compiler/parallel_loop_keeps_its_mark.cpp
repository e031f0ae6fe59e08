// What cannot leave a parallel loop keeps the mark in it; what can leaves all the same. With a barrier in the loop
// nothing does.
// RUN: %clangxx %instrument -O1 -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <stddef.h>

extern "C" int __taskrace_iteration(size_t k) noexcept;
#define ITERATIONS(k) for (size_t k = begin; k != end && __taskrace_iteration(k) != 0; ++k)

// CHECK-LABEL: @gather(
// CHECK-DAG: call void @__taskrace_loop_read(ptr %{{.*}}, i64 8, i64 1, i64 0, ptr null, i64 8,
// CHECK-DAG: call void @__taskrace_loop_write(ptr %{{.*}}, i64 4, i64 1, i64 0, ptr null, i64 4,
// CHECK: call i32 @__taskrace_iteration(
// CHECK: call void @__taskrace_read4(
// CHECK-NOT: call {{void|i32}} @__taskrace_
// CHECK: {{^}}}
extern "C" void gather(int* b, const int* a, const long* x, size_t begin, size_t end) {
  ITERATIONS(k) b[k] = a[x[k]];
}

// CHECK-LABEL: @conditional(
// CHECK: call void @__taskrace_loop_read(
// CHECK: call i32 @__taskrace_iteration(
// CHECK: call void @__taskrace_write4(
// CHECK-NOT: call {{void|i32}} @__taskrace_
// CHECK: {{^}}}
extern "C" void conditional(int* b, const char* f, size_t begin, size_t end) {
  ITERATIONS(k) if (f[k]) b[k] = 1;
}

// An atomic has no rows.
// CHECK-LABEL: @atomic(
// CHECK: call void @__taskrace_loop_read(
// CHECK: call i32 @__taskrace_iteration(
// CHECK: call void @__taskrace_atomic_write(
// CHECK: {{^}}}
extern "C" void atomic(long* sum, const long* a, size_t begin, size_t end) {
  ITERATIONS(k) __atomic_fetch_add(sum, a[k], __ATOMIC_RELAXED);
}

// What is called has hooks of its own.
[[gnu::noinline]] static int quiet(const int* a) noexcept { return *a; }
// CHECK-LABEL: @calls_quiet(
// CHECK: call void @__taskrace_loop_write(
// CHECK: call i32 @__taskrace_iteration(
// CHECK: {{^}}}
extern "C" void calls_quiet(int* b, const int* a, size_t begin, size_t end) {
  ITERATIONS(k) b[k] = quiet(a + (k & 3));
}

// The callee may spawn, or wait: then the mark may say that the rest runs elsewhere.
void anything() noexcept;
// CHECK-LABEL: @calls_anything(
// CHECK-NOT: @__taskrace_loop_
// CHECK: %[[MORE:.*]] = {{.*}}call i32 @__taskrace_iteration(
// CHECK: icmp eq i32 %[[MORE]], 0
// CHECK: call void @__taskrace_write4(
// CHECK: {{^}}}
extern "C" void calls_anything(int* b, size_t begin, size_t end) {
  ITERATIONS(k) {
    b[k] = 1;
    anything();
  }
}

// CHECK-LABEL: @left_early(
// CHECK-NOT: @__taskrace_loop_{{read|write}}
// CHECK: call i32 @__taskrace_iteration(
// CHECK: call void @__taskrace_read4(
// CHECK: {{^}}}
extern "C" void left_early(const int* a, size_t begin, size_t end) {
  ITERATIONS(k) if (a[k] == 7) break;
}

// The number of the iteration must be the one that the mark has.
// CHECK-LABEL: @counts_by_two(
// CHECK-NOT: @__taskrace_loop_
// CHECK: call i32 @__taskrace_iteration(
// CHECK: call void @__taskrace_write4(
// CHECK: {{^}}}
extern "C" void counts_by_two(int* a, size_t begin, size_t end) {
  for (size_t k = begin; k < end && __taskrace_iteration(k) != 0; k += 2) a[k] = 1;
}

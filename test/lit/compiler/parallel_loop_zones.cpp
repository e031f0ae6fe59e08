// Accesses that stay in a parallel loop, though no write of unknown address does, are checked only in the zone that
// the runtime names before the loop. The mark is called only there.
// RUN: %clangxx %instrument -O1 -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <stddef.h>

extern "C" int __taskrace_iteration(size_t k) noexcept;
#define ITERATIONS(k) for (size_t k = begin; k != end && __taskrace_iteration(k) != 0; ++k)

// A read of unknown address: where iterations write.
// CHECK-LABEL: @gather(
// CHECK: call void @__taskrace_loop_read(
// CHECK: call void @__taskrace_loop_write(
// CHECK: %[[ZONE:.*]] = {{.*}}call { i64, i64 } @__taskrace_loop_zone(i32 1)
// CHECK: %[[FIRST:.*]] = extractvalue { i64, i64 } %[[ZONE]], 0
// CHECK: %[[END:.*]] = extractvalue { i64, i64 } %[[ZONE]], 1
// CHECK: icmp ugt i64 %[[END]], %{{.*}}
// CHECK: icmp ugt i64 %{{.*}}, %[[FIRST]]
// CHECK: br i1
// CHECK: call i32 @__taskrace_iteration(
// CHECK-NEXT: call void @__taskrace_read4(
// CHECK: {{^}}}
extern "C" void gather(int* b, const int* a, const int* x, size_t begin, size_t end) {
  ITERATIONS(k) b[k] = a[x[k]];
}

// Accesses under a condition are described.
// CHECK-LABEL: @condition(
// CHECK-DAG: call void @__taskrace_loop_may_read(ptr %{{.*}}, i64 4, i64 1, i64 0, i64 4, i64 %begin,
// CHECK-DAG: call void @__taskrace_loop_may_write(ptr %{{.*}}, i64 4, i64 1, i64 0, i64 4, i64 %begin,
// CHECK: call { i64, i64 } @__taskrace_loop_zone(i32 4)
// CHECK: icmp eq i64 %{{.*}}, 0
// CHECK: call i32 @__taskrace_iteration(
// CHECK-NEXT: call void @__taskrace_{{read|write}}4(
// CHECK: {{^}}}
extern "C" void condition(int* b, const int* a, const int* x, size_t begin, size_t end) {
  ITERATIONS(k) {
    if (x[k] & 1) b[k] = a[k];
  }
}

// With a write of unknown address everything is checked, and the mark stays at the head of the loop.
// CHECK-LABEL: @scatter(
// CHECK-NOT: @__taskrace_loop_zone
// CHECK: call i32 @__taskrace_iteration(
// CHECK: call void @__taskrace_write4(
// CHECK: {{^}}}
extern "C" void scatter(int* b, const int* a, const int* x, size_t begin, size_t end) {
  ITERATIONS(k) b[x[k]] = a[k];
}

// So it is with anything else that has a hook.
// CHECK-LABEL: @counter(
// CHECK-NOT: @__taskrace_loop_zone
// CHECK: call i32 @__taskrace_iteration(
// CHECK: call void @__taskrace_atomic_write(
// CHECK: {{^}}}
extern "C" void counter(int* b, const int* a, const int* x, int* count, size_t begin, size_t end) {
  ITERATIONS(k) {
    b[k] = a[x[k]];
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
  }
}

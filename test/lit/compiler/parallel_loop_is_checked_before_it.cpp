// Checks leave a parallel loop with what one iteration touches, how far it moves on, and which iterations there are. If
// all have left, the mark goes too, and the vectoriser has the loop.
// RUN: %clangxx %instrument -O1 -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clangxx %instrument -O3 -S -emit-llvm %s -o - | %FileCheck --check-prefix=VECTOR %s
// RUN: %clangxx %instrument -O0 -S -emit-llvm %s -o - | %FileCheck --check-prefix=PLAIN %s
#include <stddef.h>

extern "C" int __taskrace_iteration(size_t k) noexcept;
#define ITERATIONS(k) for (size_t k = begin; k != end && __taskrace_iteration(k) != 0; ++k)

// CHECK-LABEL: @contiguous(
// CHECK: %[[COUNT:.*]] = sub i64 %end, %begin
// CHECK: call void @__taskrace_loop_read(ptr %{{.*}}, i64 4, i64 1, i64 0, ptr null, i64 4, i64 %begin, i64 %[[COUNT]])
// CHECK: call void @__taskrace_loop_write(ptr %{{.*}}, i64 4, i64 1, i64 0, ptr null, i64 4, i64 %begin, i64 %[[COUNT]])
// CHECK-NOT: call {{void|i32}} @__taskrace_
// CHECK: {{^}}}
// VECTOR-LABEL: @contiguous(
// VECTOR: store <4 x i32>
// VECTOR: {{^}}}
// At -O0 nothing is moved.
// PLAIN-LABEL: @contiguous(
// PLAIN: call i32 @__taskrace_iteration(
// PLAIN: call void @__taskrace_read4(
// PLAIN: call void @__taskrace_write4(
// PLAIN-NOT: @__taskrace_loop_
// PLAIN: {{^}}}
extern "C" void contiguous(int* b, const int* a, size_t begin, size_t end) {
  ITERATIONS(k) b[k] = a[k] + 1;
}

// Never one range: the history must know which iteration touched what. Neighbours of one iteration are one check.
// CHECK-LABEL: @stencil(
// CHECK: call void @__taskrace_loop_read(ptr %{{.*}}, i64 12, i64 1, i64 0, ptr null, i64 4, i64 %begin,
// CHECK: call void @__taskrace_loop_write(
// CHECK-NOT: call {{void|i32}} @__taskrace_
// CHECK: {{^}}}
extern "C" void stencil(int* b, const int* a, size_t begin, size_t end) {
  ITERATIONS(k) b[k] = a[k - 1] + a[k] + a[k + 1];
}

// CHECK-LABEL: @strided_down(
// CHECK: call void @__taskrace_loop_write(ptr %{{.*}}, i64 8, i64 1, i64 0, ptr null, i64 -24, i64 %begin,
// CHECK-NOT: call {{void|i32}} @__taskrace_
// CHECK: {{^}}}
extern "C" void strided_down(double* a, size_t begin, size_t end) {
  ITERATIONS(k) a[-3 * static_cast<long>(k)] = 1;
}

// All iterations touch the same bytes. The sum is still computed.
// CHECK-LABEL: @same_place(
// CHECK: call void @__taskrace_loop_write(ptr %sum, i64 8, i64 1, i64 0, ptr null, i64 0, i64 %begin,
// CHECK-NOT: call {{void|i32}} @__taskrace_
// CHECK: {{^}}}
extern "C" void same_place(long* sum, size_t begin, size_t end) {
  ITERATIONS(k) *sum += static_cast<long>(k);
}

// A loop inside: a row an iteration, which may be empty in all of them.
// CHECK-LABEL: @row(
// CHECK: %[[SOME:.*]] = icmp sgt i64 %columns, 0
// CHECK: %[[COUNT:.*]] = select i1 %[[SOME]]
// CHECK: call void @__taskrace_loop_write(ptr %{{.*}}, i64 %{{.*}}, i64 1, i64 0, ptr null, i64 %{{.*}}, i64 %begin, i64 %[[COUNT]])
// CHECK-NOT: call {{void|i32}} @__taskrace_
// CHECK: {{^}}}
extern "C" void row(double* a, long width, long columns, size_t begin, size_t end) {
  ITERATIONS(k) {
    for (long j = 0; j < columns; ++j) a[static_cast<long>(k) * width + j] = 1;
  }
}

// CHECK-LABEL: @column(
// CHECK: call void @__taskrace_loop_write(ptr %{{.*}}, i64 8, i64 10, i64 800, ptr null, i64 8, i64 %begin,
// CHECK-NOT: call {{void|i32}} @__taskrace_
// CHECK: {{^}}}
extern "C" void column(double* a, size_t begin, size_t end) {
  ITERATIONS(k) {
    for (long j = 0; j < 10; ++j) a[j * 100 + static_cast<long>(k)] = 1;
  }
}

// CHECK-LABEL: @all_but_one(
// CHECK: call void @__taskrace_loop_write(ptr %{{.*}}, i64 8, i64 1, i64 0, ptr null, i64 8, i64 %begin,
// CHECK: call void @__taskrace_loop_write(ptr %{{.*}}, i64 8, i64 1, i64 0, ptr null, i64 8, i64 %{{.*}},
// CHECK-NOT: call {{void|i32}} @__taskrace_
// CHECK: {{^}}}
extern "C" void all_but_one(double* a, size_t except, size_t begin, size_t end) {
  ITERATIONS(k) {
    if (k == except) continue;
    a[k] = 1;
  }
}

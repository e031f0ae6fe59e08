// A condition that is the same in all iterations goes along with the check; one that fails in one iteration cuts
// the range in two; for any other the check stays inside.
// RUN: %clangxx %instrument -O1 -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s

// The inner loop has iterations or not, in every iteration of the outer one alike.
// CHECK-LABEL: @guarded(
// CHECK: %[[SOME:.*]] = icmp sgt i64 %columns, 0
// CHECK: %[[ROWS:.*]] = select i1 %[[SOME]], i64 %rows, i64 0
// CHECK: call void @__taskrace_write_rows(ptr {{.*}}, i64 {{.*}}, i64 %[[ROWS]], i64 {{.*}})
// CHECK-NOT: call void @__taskrace_
// CHECK: ret void
extern "C" void guarded(double* p, long width, long rows, long columns) {
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j) p[i * width + j] = 1;
}

// Two ranges, either of which may be empty.
// CHECK-LABEL: @all_but_one(
// CHECK: call i64 @llvm.umin.i64(i64 {{%n|%except}}, i64 {{%n|%except}})
// CHECK: call void @__taskrace_read_range(ptr %p,
// CHECK: call i64 @llvm.usub.sat.i64(
// CHECK: call void @__taskrace_read_range(
// CHECK-NOT: call void @__taskrace_
// CHECK: ret
extern "C" long all_but_one(const long* p, long n, long except) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    if (i == except) continue;
    sum = sum * 3 + p[i];
  }
  return sum;
}

// CHECK-LABEL: @data_decides(
// CHECK: call void @__taskrace_read_range(ptr %flags
// CHECK: call void @__taskrace_write4(
extern "C" void data_decides(int* p, const char* flags, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    if (flags[i]) p[i] = 1;
}

// Ranges that lose their beginning from one iteration to the next: the first contains all of them.
// RUN: %clangxx %instrument -O1 -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s

// Nothing if the first is empty, and it is not if the first column comes before the last.
// CHECK-LABEL: @triangle(
// CHECK: [[SOME:%.*]] = icmp slt i64 %first, %last
// CHECK: [[SIZE:%.*]] = select i1 [[SOME]], i64 {{%.*}}, i64 0
// CHECK: call void @__taskrace_write_range(ptr {{%.*}}, i64 [[SIZE]])
// CHECK: {{^}}for.body{{.*}}:
// CHECK-NOT: call void @__taskrace_
// CHECK: {{^}}}
extern "C" void triangle(float* row, long n, long first, long last) {
  for (long k = 0; k < n; ++k) {
    for (long j = first + k; j < last; ++j) row[j] *= 2;
  }
}

// The last of a constant number makes none, the first does.
// CHECK-LABEL: @constant_triangle(
// CHECK: call void @__taskrace_write_range(ptr {{%.*}}, i64 60)
// CHECK: {{^}}for.body{{.*}}:
// CHECK-NOT: call void @__taskrace_
// CHECK: {{^}}}
extern "C" void constant_triangle(float* row) {
  for (long k = 0; k < 16; ++k) {
    for (long j = k + 1; j < 16; ++j) row[j] *= 2;
  }
}

// They end at another place each.
// CHECK-LABEL: @rows_of_a_triangle(
// CHECK: {{^}}for.body{{.*}}:
// CHECK: call void @__taskrace_write_range(
extern "C" void rows_of_a_triangle(float* block, long n) {
  for (long k = 0; k < n; ++k) {
    for (long j = k + 1; j < n; ++j) block[k * n + j] *= 2;
  }
}

// The first iterations make none, so the first range is not the longest that is made.
// CHECK-LABEL: @later(
// CHECK: {{^}}for.body{{.*}}:
// CHECK: call void @__taskrace_write_range(
extern "C" void later(float* row, long n, long m) {
  for (long k = 0; k < n; ++k) {
    if (k < m) continue;
    for (long j = k + 1; j < n; ++j) row[j] *= 2;
  }
}

// They begin later, but end later, too: the first contains only itself.
// CHECK-LABEL: @moving_window(
// CHECK: br label
// CHECK: call void @__taskrace_write_range(
extern "C" void moving_window(float* row) {
  for (long k = 0; k < 16; ++k) {
    long j = 0;
    do row[k + j] *= 2;
    while (j++ != k);
  }
}

// They get a longer beginning: the last contains all of them.
// CHECK-LABEL: @growing(
// CHECK: br label
// CHECK: call void @__taskrace_write_range(
extern "C" void growing(float* row) {
  for (long k = 15; k >= 0; --k) {
    for (long j = k; j < 16; ++j) row[j] *= 2;
  }
}

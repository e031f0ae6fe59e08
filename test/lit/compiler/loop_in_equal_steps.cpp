// An access that moves in equal steps is checked before the loop as rows: exactly the bytes, no gap filled.
// RUN: %clangxx %instrument -O1 -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
struct Point { double x, y, z; };

// CHECK-LABEL: @constant_step(
// CHECK: call void @__taskrace_write_rows(ptr {{.*}}, i64 8, i64 %n, i64 24)
// CHECK-NOT: call void @__taskrace_
// CHECK: ret void
extern "C" void constant_step(Point* p, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) p[i].y = 1;
}

// Two of three neighbours at one line: rows of two.
// CHECK-LABEL: @two_fields(
// CHECK: call void @__taskrace_read_rows(ptr {{.*}}, i64 16, i64 {{.*}}, i64 24)
// CHECK-NOT: call void @__taskrace_
// CHECK: ret
extern "C" double two_fields(const Point* p, unsigned long n) {
  double sum = 0;
  for (unsigned long i = 0; i < n; ++i) sum += p[i].x * p[i].y;
  return sum;
}

// All three: no gap, one range.
// CHECK-LABEL: @all_fields(
// CHECK: call void @__taskrace_read_range(ptr
// CHECK-NOT: call void @__taskrace_
// CHECK: ret
extern "C" double all_fields(const Point* p, unsigned long n) {
  double sum = 0;
  for (unsigned long i = 0; i < n; ++i) sum += p[i].x * p[i].y * p[i].z;
  return sum;
}

// CHECK-LABEL: @downwards(
// CHECK: call void @__taskrace_write_rows(ptr {{.*}}, i64 4, i64 {{.*}}, i64 -8)
// CHECK-NOT: call void @__taskrace_
// CHECK: ret void
extern "C" void downwards(int* p, long n) {
  for (long i = n; i > 0; i -= 2) p[i] = 1;
}

// A column of a matrix.
// CHECK-LABEL: @passed_step(
// CHECK: %[[DISTANCE:.*]] = shl {{.*}}%width, 2
// CHECK: call void @__taskrace_write_rows(ptr {{.*}}, i64 4, i64 %n, i64 %[[DISTANCE]])
// CHECK-NOT: call void @__taskrace_
// CHECK: ret void
extern "C" void passed_step(int* p, long width, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) p[i * width] = 1;
}

// A part of a matrix by rows, and the same by columns: one rectangle.
// CHECK-LABEL: @rectangle(
// CHECK: call void @__taskrace_write_rows(
// CHECK-NOT: call void @__taskrace_
// CHECK: ret void
extern "C" void rectangle(double* p, long width, long rows, long columns) {
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j) p[i * width + j] = 1;
}
// CHECK-LABEL: @rectangle_by_columns(
// CHECK: call void @__taskrace_write_rows(
// CHECK-NOT: call void @__taskrace_
// CHECK: ret void
extern "C" void rectangle_by_columns(double* p, long width, long rows, long columns) {
  for (long j = 0; j < columns; ++j)
    for (long i = 0; i < rows; ++i) p[i * width + j] = 1;
}

// The product of two parts of matrices: three rectangles, all before the outermost loop. The read of c is
// left to the write.
// CHECK-LABEL: @product(
// CHECK-COUNT-3: call void @__taskrace_{{read|write}}_rows(
// CHECK-NOT: call void @__taskrace_
// CHECK: ret void
extern "C" void product(double* c, const double* a, const double* b, long width, long n) {
  for (long i = 0; i < n; ++i)
    for (long k = 0; k < n; ++k)
      for (long j = 0; j < n; ++j) c[i * width + j] += a[i * width + k] * b[k * width + j];
}

// A window that slides: without gaps, though no row ends where the next begins.
// CHECK-LABEL: @window(
// CHECK: call void @__taskrace_read_range(
// CHECK-NOT: call void @__taskrace_
// CHECK: ret
extern "C" long window(const long* p, long n, long width) {
  long sum = 0;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < width; ++j) sum = sum * 3 + p[i + j];
  return sum;
}

// The rows of a triangle have different lengths: one range a row.
// CHECK-LABEL: @triangle(
// CHECK: br label %[[OUTER:.*]]
// CHECK: [[OUTER]]:
// CHECK: call void @__taskrace_write_range(
// CHECK-NOT: call void @__taskrace_
// CHECK: ret void
extern "C" void triangle(double* p, long width, long n) {
  for (long i = 0; i < n; ++i)
    for (long j = 0; j <= i; ++j) p[i * width + j] = 1;
}

// Not linear.
// CHECK-LABEL: @squares(
// CHECK: call void @__taskrace_write4(
extern "C" void squares(int* p, long n) {
  for (long i = 0; i < n; ++i) p[i * i] = 1;
}

// The second loop touches what the first one has touched: one check for both.
// CHECK-LABEL: @twice(
// CHECK: call void @__taskrace_write_range(
// CHECK-NOT: call void @__taskrace_
// CHECK: ret
extern "C" long twice(long* p, long a) {
  for (long i = 0; i < 1000; ++i) p[i] = a + i;
  long sum = 0;
  for (long i = 0; i < 1000; ++i) sum = sum * 3 + p[i];
  return sum;
}

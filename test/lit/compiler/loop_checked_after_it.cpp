// Only the end of a loop tells how far it went: what it touched without gaps is checked at its exits.
// RUN: %clangxx %instrument -O1 -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s

// Both ranges of a merge, as far as they were looked at, and what was written.
// CHECK-LABEL: @merge(
// CHECK: while.body:
// CHECK-NOT: call void @__taskrace_
// CHECK: while.end
// CHECK-COUNT-2: call void @__taskrace_read_range(
// CHECK: call void @__taskrace_write_range(
// CHECK-NOT: call void @__taskrace_
// CHECK: ret void
extern "C" void merge(const long* a, const long* a_end, const long* b, const long* b_end, long* out) {
  while (a != a_end && b != b_end) {
    const bool from_a = *a <= *b;
    *out++ = from_a ? *a : *b;
    a += from_a;
    b += !from_a;
  }
}

// The pointers of a partition go through the two inner loops and the one around them.
// CHECK-LABEL: @partition(
// CHECK-NOT: call void @__taskrace_read8(
// CHECK-COUNT-2: call void @__taskrace_read_range(
// CHECK-NOT: {{br label|br i1|call void @__taskrace_read}}
// CHECK: ret i64
extern "C" long partition(long* numbers, long count, long pivot) {
  long left = 0, right = count - 1;
  while (true) {
    while (numbers[left] < pivot) ++left;
    while (numbers[right] > pivot) --right;
    if (left >= right) return left;
    numbers[left++] = 0;
    right--;
  }
}

// An index that is widened. The last element is read too: from the first to the last there are i * 4 bytes.
// CHECK-LABEL: @search(
// CHECK: [[LAST:%.*]] = phi i64
// CHECK-NOT: call void @__taskrace_
// CHECK: [[BYTES:%.*]] = shl {{.*}}[[LAST]], 2
// CHECK: [[SIZE:%.*]] = add {{.*}}[[BYTES]], 4
// CHECK: call void @__taskrace_read_range(ptr %numbers, i64 [[SIZE]])
// CHECK: ret i32
extern "C" int search(const int* numbers, int wanted) {
  int i = 0;
  while (numbers[i] != wanted) ++i;
  return i;
}

// In larger steps: rows, and as many as the loop came to.
// CHECK-LABEL: @stride(
// CHECK-NOT: call void @__taskrace_
// CHECK: call void @__taskrace_read_rows(ptr %numbers, i64 4, i64 {{%.*}}, i64 12)
// CHECK: ret i64
extern "C" long stride(const int* numbers, int wanted) {
  long i = 0;
  while (numbers[i] != wanted) i += 3;
  return i;
}

// The last iteration reads, and may be over before it writes; or it may be the last by count, and does.
// CHECK-LABEL: @insert(
// CHECK: [[WRITES:%taskrace.last.*]] = phi i64 [ {{[01]}}, {{.*}} ], [ {{[01]}}, {{.*}} ]
// CHECK: call void @__taskrace_read_range(
// CHECK: call void @__taskrace_write_range(
// CHECK: call void @__taskrace_write8(
// CHECK: ret void
extern "C" void insert(long* numbers, long j, long number) {
  for (; j > 0 && numbers[j - 1] > number; --j) numbers[j] = numbers[j - 1];
  numbers[j] = number;
}

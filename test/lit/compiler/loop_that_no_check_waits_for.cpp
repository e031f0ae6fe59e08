// A check stays in the loop if its end does not tell exactly what was touched, or may come too late.
// RUN: %clangxx %instrument -O1 -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
extern "C" void anything();

// The loop may end a strand, and what comes after belongs to another.
// CHECK-LABEL: @barrier(
// CHECK: call void @anything()
// CHECK: call void @__taskrace_read4(
// CHECK-NOT: call void @__taskrace_read
// CHECK: ret void
extern "C" void barrier(const int* p) {
  while (*p++ != 0) anything();
}

// It waits for a variable, perhaps for ever.
// CHECK-LABEL: @endless(
// CHECK: call void @__taskrace_read4(
// CHECK: load volatile
// CHECK-NOT: call void @__taskrace_read_range(
// CHECK: ret i32
extern "C" int endless(const int* p, volatile int* flag) {
  int sum = 0;
  while (*flag == 0) sum += *p++;
  return sum;
}

// Steps longer than the access, and not all the same: gaps.
// CHECK-LABEL: @gaps(
// CHECK: call void @__taskrace_read4(
// CHECK-NOT: call void @__taskrace_read_range(
// CHECK: ret i32
extern "C" int gaps(const int* p, int x) {
  int sum = 0;
  do {
    sum += *p;
    p += sum & 1 ? 1 : 2;
  } while (sum != x);
  return sum;
}

// There and back: the end is not the farthest point.
// CHECK-LABEL: @both_directions(
// CHECK: call void @__taskrace_read4(
// CHECK-NOT: call void @__taskrace_read_range(
// CHECK: ret i32
extern "C" int both_directions(const int* p, int x) {
  int sum = 0;
  do {
    sum += *p;
    p += sum & 1 ? 1 : -1;
  } while (sum != x);
  return sum;
}

// Not at every value: what was stepped over was not touched.
// CHECK-LABEL: @not_always(
// CHECK: call void @__taskrace_read4(
// CHECK-NOT: call void @__taskrace_read_range(
// CHECK: ret i32
extern "C" int not_always(const int* p, int x) {
  int sum = 1;
  do {
    sum *= 3;
    if (sum & 4) sum += *p;
    ++p;
  } while (sum != x);
  return sum;
}

// The inner loop begins anew: checked after it, and not after the outer one.
// CHECK-LABEL: @begins_anew(
// CHECK: while.end
// CHECK: call void @__taskrace_read_range(
// CHECK: br i1
// CHECK-NOT: call void @__taskrace_
// CHECK: ret i32
extern "C" int begins_anew(const int* numbers, const int n) {
  int sum = 0;
  do {
    const int* p = numbers;
    while (*p++ != sum) sum += 2;
  } while (sum < n);
  return sum;
}

// A 32-bit index that may wrap around: the loop counts how far it goes in equal steps.
// CHECK-LABEL: @wraps(
// CHECK: call void @__taskrace_read_rows(
// CHECK-NOT: call void @__taskrace_read_range(
// CHECK: ret i32
extern "C" unsigned wraps(const int* numbers, unsigned i, int wanted) {
  while (numbers[i] != wanted) ++i;
  return i;
}

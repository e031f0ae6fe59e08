// A variable of this file that nobody writes is a constant to the optimiser, and not checked.
// RUN: %clangxx %instrument -O1 -S -emit-llvm %s -o - | %FileCheck %s
static int table[] = {3, 1, 4, 1, 5, 9, 2, 6};
static int counters[8];
int visible[8];

// CHECK-LABEL: @read_only(
// CHECK-NOT: call void @__taskrace_
// CHECK: ret i32
extern "C" int read_only(int i) { return table[i]; }

// CHECK-LABEL: @written(
// CHECK: call void @__taskrace_write4(
extern "C" void written(int i) { ++counters[i]; }
// CHECK-LABEL: @read_elsewhere(
// CHECK: call void @__taskrace_read4(
extern "C" int read_elsewhere(int i) { return counters[i]; }

// CHECK-LABEL: @from_outside(
// CHECK: call void @__taskrace_read4(
extern "C" int from_outside(int i) { return visible[i]; }

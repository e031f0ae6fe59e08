// Of a loop that may be left early, only what is the same in every iteration, and is sure to happen in the first
// one, is checked before it (and what moves steadily, after it: loop_checked_after_it.cpp).
// RUN: %clangxx %instrument -O1 -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
struct Key { char* text; long value; };

// The pointer is in a structure, which the loop might change: it is read in every iteration, checked once.
// What it points to most likely goes on in equal steps.
// CHECK-LABEL: @same_address(
// CHECK: call void @__taskrace_read8(ptr %key)
// CHECK: do.body:
// CHECK-NOT: call void @__taskrace_read8(
// CHECK: load ptr, ptr %key
// CHECK: call void @__taskrace_read_rows(
// CHECK: call void @__taskrace_write_range(
extern "C" void same_address(Key* key, char* out) {
  long i = 0;
  do {
    out[i++] = 1;
  } while (key->text[i] != 0);
}

// The loop may be left before it.
// CHECK-LABEL: @after_the_exit(
// CHECK-NOT: call void @__taskrace_read
// CHECK: if.end:
// CHECK: call void @__taskrace_write8(
// CHECK: call void @__taskrace_read_range(
extern "C" void after_the_exit(const int* p, Key* key, long n) {
  for (long i = 0; i < n; ++i) {
    if (p[i] == 7) break;
    key->value = i;
  }
}

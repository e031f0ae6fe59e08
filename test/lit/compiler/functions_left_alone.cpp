// Functions that ask for it are not instrumented, not even once inlined; those that call them are.
// RUN: %clangxx %instrument -O2 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clangxx %instrument -O0 -S -emit-llvm %s -o - | %FileCheck %s
#define LEFT_ALONE __attribute__((disable_sanitizer_instrumentation))
int hidden, inlined, shown;

// CHECK-LABEL: define {{.*}}@_Z10left_alonev(
// CHECK-NOT: __taskrace_
// CHECK: ret void
LEFT_ALONE void left_alone() { hidden = 1; }

LEFT_ALONE __attribute__((always_inline)) inline void always_inlined() { inlined = 1; }

// CHECK-LABEL: define {{.*}}@_Z6callerv(
// CHECK: @__taskrace_top
// CHECK: call void @_Z10left_alonev()
// CHECK-NOT: __taskrace_write4({{.*}}@inlined)
// CHECK: store {{.*}}@inlined
// CHECK: call void @__taskrace_write4({{.*}}@shown)
void caller() {
  left_alone();
  always_inlined();
  shown = 1;
}

// CHECK-LABEL: define {{.*}}@_Z5nakedv(
// CHECK-NOT: __taskrace_
// CHECK: unreachable
__attribute__((naked)) void naked() { asm("ret"); }

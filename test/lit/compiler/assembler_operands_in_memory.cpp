// Operands of inline assembler that are in memory are accesses; those in registers are not.
// RUN: %clangxx %instrument -O1 -S -emit-llvm %s -o - | %FileCheck %s
long shared;

// CHECK-LABEL: define {{.*}}@_Z6updatel(
// CHECK: call void @__taskrace_write8(ptr {{.*}}@shared)
// CHECK-NEXT: call void @__taskrace_read8(ptr {{.*}}@shared)
// CHECK-NEXT: call void asm
long update(long by) {
  asm("addq %1, %0" : "+m"(shared) : "r"(by));
  return by;
}

// What destroys the object of a shared_ptr, and its control block, is in an ordered region.
// RUN: %clangxx %instrument -O0 -S -emit-llvm %s -o - | %FileCheck %s
#include <memory>

// CHECK-LABEL: define {{.*}}@_ZNSt16_Sp_counted_baseILN9__gnu_cxx12_Lock_policyE2EE10_M_releaseEv(
// CHECK: call void @__taskrace_atomic_read(
// CHECK: call void @__taskrace_ordered_begin()
// CHECK-NEXT: call void @__taskrace_write4(
// CHECK-NEXT: store i32 0
// CHECK-NEXT: call void @__taskrace_ordered_end()
// CHECK: call void @__taskrace_ordered_begin()
// CHECK-NEXT: call void @__taskrace_write4(
// CHECK-NEXT: store i32
// CHECK-NEXT: call void @__taskrace_ordered_end()
// CHECK: call void @__taskrace_ordered_begin()
// CHECK-NEXT: call void %{{[0-9]+}}(ptr
// CHECK-NEXT: call void @__taskrace_ordered_end()
// CHECK: call void @__taskrace_ordered_begin()
// CHECK-NEXT: call void %{{[0-9]+}}(ptr
// CHECK-NEXT: call void @__taskrace_ordered_end()
// CHECK: call void @__taskrace_ordered_begin()
// CHECK-NEXT: call void @{{.*}}_M_release_last_use
// CHECK-NEXT: call void @__taskrace_ordered_end()
void release(std::shared_ptr<int> p) { p.reset(); }

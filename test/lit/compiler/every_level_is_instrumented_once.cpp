// Each access has one check at every -O level and in the compile step of LTO, in optnone functions and in
// constructors of globals.
// RUN: %clangxx %instrument -O0 -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s --input-file=%t.ll
// RUN: %FileCheck %s --input-file=%t.ll --check-prefix=INITIALISER
// RUN: %clangxx %instrument -O1 -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s --input-file=%t.ll
// RUN: %FileCheck %s --input-file=%t.ll --check-prefix=INITIALISER
// RUN: %clangxx %instrument -O3 -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s --input-file=%t.ll
// RUN: %FileCheck %s --input-file=%t.ll --check-prefix=INITIALISER
// RUN: %clangxx %instrument -Os -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s --input-file=%t.ll
// RUN: %FileCheck %s --input-file=%t.ll --check-prefix=INITIALISER
// RUN: %clangxx %instrument -O2 -flto=thin -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s --input-file=%t.ll
// RUN: %FileCheck %s --input-file=%t.ll --check-prefix=INITIALISER
// RUN: %clangxx %instrument -O2 -flto -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s --input-file=%t.ll
// RUN: %FileCheck %s --input-file=%t.ll --check-prefix=INITIALISER
// RUN: %clangxx %instrument -O0 -flto=thin -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s --input-file=%t.ll
// RUN: %FileCheck %s --input-file=%t.ll --check-prefix=INITIALISER
// RUN: %clangxx %instrument -O0 -flto -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s --input-file=%t.ll
// RUN: %FileCheck %s --input-file=%t.ll --check-prefix=INITIALISER
int shared;
int given();

// INITIALISER: define internal void @{{__cxx_global_var_init|_GLOBAL__sub_I_}}
// INITIALISER: call void @__taskrace_write4(ptr {{.*}}@initialised)
// INITIALISER-NOT: call void @__taskrace_{{read|write}}
// INITIALISER: ret void
int initialised = given();

// CHECK-LABEL: define {{.*}}@_Z9optimisedv(
// CHECK: call void @__taskrace_write4(ptr {{.*}}@shared)
// CHECK-NOT: call void @__taskrace_{{read|write}}
void optimised() { shared = 1; }

// CHECK-LABEL: define {{.*}}@_Z12notOptimisedv(
// CHECK: call void @__taskrace_write4(ptr {{.*}}@shared)
// CHECK-NOT: call void @__taskrace_{{read|write}}
// CHECK: ret void
__attribute__((optnone)) void notOptimised() { shared = 1; }

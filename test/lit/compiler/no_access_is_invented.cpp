// A load that the source does only under a condition stays under it: no speculation.
// RUN: %clangxx %instrument -O2 -S -emit-llvm %s -o - | %FileCheck %s
int shared, other;

// CHECK-LABEL: define {{.*}}@_Z6chooseb(
// CHECK: br i1
// CHECK: call void @__taskrace_read4(ptr {{.*}}@shared)
// CHECK: ret i32
int choose(bool c) { return c ? shared : 0; }

// A store under a condition does not become a store of the old value.
// CHECK-LABEL: define {{.*}}@_Z5storebi(
// CHECK: br i1
// CHECK: call void @__taskrace_write4(ptr {{.*}}@other)
// CHECK-NOT: __taskrace_write
// CHECK: ret void
void store(bool c, int v) {
  if (c) other = v;
}

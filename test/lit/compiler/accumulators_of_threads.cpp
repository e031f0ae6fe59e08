// The element that a thread has in a container of oneTBB belongs to it; how it is found is not checked.
// RUN: %clangxx %instrument -O2 -S -emit-llvm %s -o - | %FileCheck %s
#include <tbb/combinable.h>
#include <tbb/enumerable_thread_specific.h>

struct totals {
  long sum;
  int count;
};

// CHECK-LABEL: define {{.*}}@_Z3add
// CHECK: %[[MINE:.*]] = {{.*}}call {{.*}}5localE
// CHECK-NEXT: call void @__taskrace_thread_local(ptr{{.*}} %[[MINE]], i64 16)
// CHECK: call void @__taskrace_write8(ptr{{.*}} %[[MINE]])
void add(tbb::enumerable_thread_specific<totals>& all, long value) { all.local().sum = value; }

// CHECK-LABEL: define {{.*}}@_Z5count
// CHECK: %[[MINE:.*]] = {{.*}}call {{.*}}5localE
// CHECK-NEXT: call void @__taskrace_thread_local(ptr{{.*}} %[[MINE]], i64 4)
void count(tbb::combinable<int>& all) { ++all.local(); }

// CHECK-LABEL: define {{.*}}ets_base{{.*}}table_lookup
// CHECK-NOT: @__taskrace_
// CHECK: {{^}}}

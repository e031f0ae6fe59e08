// Every object, also one without a function, has a marker; each executable and each library registers
// its own, once, however it is linked.
// RUN: echo > %t.empty.c
// RUN: echo 'int f(void) { return 1; }' > %t.f.c
// RUN: %clang %instrument -O2 -fPIC -ffunction-sections -fdata-sections -c %t.empty.c -o %t.empty.o
// RUN: %clang %instrument -O0 -fPIC -ffunction-sections -fdata-sections -c %t.f.c -o %t.f.o
// RUN: %clang %include -O1 -fPIC -shared %S/Inputs/counting_runtime.c -o %t.runtime.so
// RUN: %clang %instrument -shared -fPIC -x c %t.f.c -o %t.lib.so
// RUN: %clang %instrument -Wl,--gc-sections %s %t.empty.o %t.f.o %t.runtime.so %t.lib.so -o %t.bfd
// RUN: %t.bfd | %FileCheck %s
// RUN: %clang %instrument -fuse-ld=lld-19 -Wl,--gc-sections %s %t.empty.o %t.f.o %t.runtime.so %t.lib.so -o %t.lld
// RUN: %t.lld | %FileCheck %s
// RUN: %clang %instrument -O2 -fuse-ld=lld-19 -flto=thin -Wl,--gc-sections %s %t.empty.c %t.f.c %t.runtime.so %t.lib.so -o %t.thin
// RUN: %t.thin | %FileCheck %s
// RUN: %clang %instrument -O2 -fuse-ld=lld-19 -flto -Wl,--gc-sections %s %t.empty.c %t.f.c %t.runtime.so %t.lib.so -o %t.full
// RUN: %t.full | %FileCheck %s

// CHECK: module of 1 objects
// CHECK-NEXT: version 7, {{.*}}.f.c
// CHECK-NEXT: module of 3 objects
// CHECK-DAG: version 7, {{.*}}every_object_carries_the_marker.c
// CHECK-DAG: version 7, {{.*}}.empty.c
// CHECK-DAG: version 7, {{.*}}.f.c
// CHECK-NOT: module of
// CHECK: main
#include <stdio.h>
int f(void);
int main(void) {
  if (f() == 1) puts("main");
  return 0;
}

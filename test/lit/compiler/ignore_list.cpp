// Functions and files of an ignore list are left alone; a list that cannot be used is an error.
// RUN: echo 'fun:_Z4hereIiEvv' > %t.mangled
// RUN: %clangxx %instrument -O1 -g -S -emit-llvm -mllvm -taskrace-ignorelist=%t.mangled %s -o - | %FileCheck %s --check-prefix=FUNCTION
// RUN: printf '[taskrace]\nfun:*here<int>*\n' > %t.demangled
// RUN: %clangxx %instrument -O1 -g -S -emit-llvm -mllvm -taskrace-ignorelist=%t.demangled %s -o - | %FileCheck %s --check-prefix=FUNCTION
// RUN: printf '[address]\nfun:*\n[taskrace]\nsrc:*/ignored.h\n' > %t.file
// RUN: %clangxx %instrument -O1 -g -S -emit-llvm -mllvm -taskrace-ignorelist=%t.file %s -o - | %FileCheck %s --check-prefix=FILE
// RUN: %clangxx %instrument -O1 -g -S -emit-llvm -mllvm -taskrace-ignorelist=%t.file -mllvm -taskrace-ignorelist=%t.mangled %s -o - | %FileCheck %s --check-prefix=BOTH
// RUN: %not %clangxx %instrument -c -mllvm -taskrace-ignorelist=%t.missing %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=MISSING
// RUN: echo 'no colon' > %t.bad
// RUN: %not %clangxx %instrument -c -mllvm -taskrace-ignorelist=%t.bad %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=BAD
// A file has the name that reports show, however it was included, and its full one.
// RUN: echo 'src:*/compiler/Inputs/ignored.h' > %t.clean
// RUN: cd %S && %clangxx %instrument -O1 -g -S -emit-llvm -mllvm -taskrace-ignorelist=%t.clean ignore_list.cpp -o - | %FileCheck %s --check-prefix=FILE
// RUN: echo 'src:Inputs/ignored.h' > %t.relative
// RUN: cd %S && %clangxx %instrument -O1 -g -S -emit-llvm -mllvm -taskrace-ignorelist=%t.relative ignore_list.cpp -o - | %FileCheck %s --check-prefix=FILE
// Rules that match nothing are named when remarks are asked for.
// RUN: printf 'fun:elsewhere\n[address]\nfun:main\n[taskrace]\n# why\nsrc:*/ignored.h\nsrc:*/other.h\n' > %t.some
// RUN: %clangxx %instrument -O1 -g -c -Rpass-missed=taskrace -mllvm -taskrace-ignorelist=%t.some %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=UNUSED
#include "Inputs/../Inputs/ignored.h"
int shared;
template <typename T>
__attribute__((noinline)) void here() {
  shared = 1;
}
void use() {
  here<int>();
  there();
}
// FUNCTION: define {{.*}}@_Z5therev(
// FUNCTION: call void @__taskrace_write4
// FUNCTION: define {{.*}}@_Z4hereIiEvv(
// FUNCTION-NOT: call void @__taskrace_write4
// FUNCTION: ret void
// FILE: define {{.*}}@_Z5therev(
// FILE-NOT: call void @__taskrace_write4
// FILE: define {{.*}}@_Z4hereIiEvv(
// FILE: call void @__taskrace_write4
// BOTH-NOT: call void @__taskrace_write4
// MISSING: error: taskrace: ignore list: can't open file '{{.*}}.missing'
// BAD: error: taskrace: ignore list: {{.*}}malformed line 1: 'no colon'
// UNUSED-NOT: ignored.h'
// UNUSED: remark: rule 'fun:elsewhere' of {{.*}}.some, line 1, matches no function of this file
// UNUSED-NOT: fun:main
// UNUSED-NOT: ignored.h'
// UNUSED: remark: rule 'src:*/other.h' of {{.*}}.some, line 7, matches no function of this file

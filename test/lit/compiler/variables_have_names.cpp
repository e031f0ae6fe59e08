// The begin of a stack variable names it, its function, file and line, at every -O level.
// RUN: %clangxx %instrument -g -O0 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clangxx %instrument -g -O1 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clangxx %instrument -g -O3 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clangxx %instrument -g -O2 -flto=thin -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clangxx %instrument -g0 -O2 -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=NODEBUG
void use(int*);

// CHECK-DAG: @[[NAME:__taskrace_string.*]] = private unnamed_addr constant [7 x i8] c"number\00"
// CHECK-DAG: @[[FUNCTION:__taskrace_string.*]] = private unnamed_addr constant [{{.*}}] c"_Z4leafi\00"
// CHECK-DAG: @[[FILE:__taskrace_string.*]] = private unnamed_addr constant [{{.*}}] c"{{.*}}variables_have_names.cpp\00"
// CHECK-DAG: @[[VARIABLE:.*]] = private unnamed_addr constant { ptr, ptr, ptr, i32 } { ptr @[[NAME]], ptr @[[FUNCTION]], ptr @[[FILE]], i32 [[# @LINE + 5]] }
// CHECK: call void @__taskrace_lifetime_start(ptr {{.*}}, i64 4, ptr {{.*}}@[[VARIABLE]])
// NODEBUG: call void @__taskrace_lifetime_start(ptr {{.*}}, i64 4, ptr null)
void leaf(int i) {
  {
    int number = i;
    use(&number);
  }
}

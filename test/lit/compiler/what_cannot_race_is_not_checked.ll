; Constants, vtables, the counters of other instrumentation, other address spaces, marked accesses.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

@table = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@__profc_main = private global i64 0
@__llvm_counter = global i64 0

; CHECK-LABEL: define void @skipped(
; CHECK-NOT: __taskrace_
; CHECK: ret void
define void @skipped(i64 %i, ptr addrspace(1) %far, ptr %p) sanitize_thread {
  %element = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %a = load i32, ptr %element
  %b = load i64, ptr @__profc_main
  store i64 %b, ptr @__llvm_counter
  %c = load i32, ptr addrspace(1) %far
  store i32 0, ptr %p, !nosanitize !3
  ret void
}

; The load of the vptr is one of the object; what is loaded from the vtable is constant.
; CHECK-LABEL: define void @virtual_call(
; CHECK: call void @__taskrace_read8(ptr %object)
; CHECK-NOT: __taskrace_read
; CHECK: call void %method(ptr %object)
define void @virtual_call(ptr %object) sanitize_thread {
  %vtable = load ptr, ptr %object, !tbaa !0
  %slot = getelementptr ptr, ptr %vtable, i64 2
  %method = load ptr, ptr %slot
  call void %method(ptr %object)
  ret void
}

; errno is one a thread.
declare ptr @__errno_location()
; CHECK-LABEL: define void @sets_errno(
; CHECK-NOT: __taskrace_write
; CHECK: ret void
define void @sets_errno() sanitize_thread {
  %errno = call ptr @__errno_location()
  store i32 0, ptr %errno
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"vtable pointer", !2, i64 0}
!2 = !{!"Simple C++ TBAA"}
!3 = !{}

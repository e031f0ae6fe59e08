; A direct access to a thread_local has no hook; its address is announced wherever it leaves.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

@counter = thread_local global [4 x i32] zeroinitializer
declare ptr @llvm.threadlocal.address.p0(ptr)
declare void @callee(ptr)

; CHECK-LABEL: define i32 @direct(
; CHECK-NOT: __taskrace_
; CHECK: ret i32
define i32 @direct(i64 %i) sanitize_thread {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @counter)
  %element = getelementptr [4 x i32], ptr %p, i64 0, i64 %i
  store i32 1, ptr %element
  %value = load i32, ptr @counter
  ret i32 %value
}

; CHECK-LABEL: define void @passed(
; CHECK: %element =
; CHECK-NEXT: %[[P:.*]] = call {{.*}}ptr @llvm.threadlocal.address.p0(ptr @counter)
; CHECK-NEXT: call void @__taskrace_thread_local(ptr %[[P]], i64 16)
; CHECK-NEXT: call void @callee(ptr %element)
define void @passed() sanitize_thread {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @counter)
  %element = getelementptr [4 x i32], ptr %p, i64 0, i64 2
  call void @callee(ptr %element)
  ret void
}

; CHECK-LABEL: define ptr @returned(
; CHECK: call void @__taskrace_thread_local(
; CHECK: ret ptr %p
define ptr @returned() sanitize_thread {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @counter)
  ret ptr %p
}

; CHECK-LABEL: define void @stored(
; CHECK: call void @__taskrace_write8(ptr %q)
; CHECK: call void @__taskrace_thread_local(
; CHECK-NEXT: store ptr %p, ptr %q
define void @stored(ptr %q) sanitize_thread {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @counter)
  store ptr %p, ptr %q
  ret void
}

; After a merge the address is one like any other.
; CHECK-LABEL: define void @merged(
; CHECK: left:
; CHECK: call void @__taskrace_thread_local(
; CHECK-NEXT: br label %join
; CHECK: join:
; CHECK: call void @__taskrace_write4(ptr %either)
define void @merged(i1 %c, ptr %q) sanitize_thread {
entry:
  br i1 %c, label %left, label %join
left:
  %p = call ptr @llvm.threadlocal.address.p0(ptr @counter)
  br label %join
join:
  %either = phi ptr [ %q, %entry ], [ %p, %left ]
  store i32 1, ptr %either
  ret void
}

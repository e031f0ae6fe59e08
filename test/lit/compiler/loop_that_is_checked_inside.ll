; Where a range before the loop could claim an access that does not happen, or one of another strand, the
; check stays in the loop.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare void @callee()

; Every other element: the range would have gaps.
; CHECK-LABEL: define void @gaps(
; CHECK: loop:
; CHECK: call void @__taskrace_write4(ptr %q)
define void @gaps(ptr %p) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr inbounds i64, ptr %p, i64 %i
  store i32 1, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; The callee may join, spawn, free.
; CHECK-LABEL: define void @calls(
; CHECK: loop:
; CHECK: call void @__taskrace_write4(ptr %q)
define void @calls(ptr %p) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 1, ptr %q
  call void @callee()
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Not in every iteration.
; CHECK-LABEL: define void @sometimes(
; CHECK: then:
; CHECK: call void @__taskrace_write4(ptr %q)
define void @sometimes(ptr %p, ptr %flags) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %f = getelementptr inbounds i8, ptr %flags, i64 %i
  %flag = load i8, ptr %f
  %set = icmp ne i8 %flag, 0
  br i1 %set, label %then, label %latch
then:
  %q = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 1, ptr %q
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Left early.
; CHECK-LABEL: define void @leaves_early(
; CHECK: loop:
; CHECK: call void @__taskrace_read1(ptr %q)
define void @leaves_early(ptr %p) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %q = getelementptr inbounds i8, ptr %p, i64 %i
  %value = load i8, ptr %q
  %found = icmp eq i8 %value, 0
  br i1 %found, label %exit, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

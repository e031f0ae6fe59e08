; Where a range before the loop could claim an access that does not happen, or one of another strand, the
; check stays in the loop.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare void @callee()

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

; A volatile access is what it is.
; CHECK-LABEL: define void @volatile(
; CHECK: loop:
; CHECK: call void @__taskrace_write4(ptr %q)
define void @volatile(ptr %p) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr inbounds i32, ptr %p, i64 %i
  store volatile i32 1, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; The index may wrap around: the addresses may not go on in equal steps. Most do.
; CHECK-LABEL: define void @index_wraps(
; CHECK: loop:
; CHECK: call void @__taskrace_write_rows(ptr %{{.*}}, i64 4, i64 %{{.*}}, i64 %{{.*}})
define void @index_wraps(ptr %p, i8 %first, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %t.next, %loop ]
  %i = phi i8 [ %first, %entry ], [ %i.next, %loop ]
  %index = zext i8 %i to i64
  %q = getelementptr inbounds i32, ptr %p, i64 %index
  store i32 1, ptr %q
  %i.next = add i8 %i, 1
  %t.next = add nuw i64 %t, 1
  %more = icmp ult i64 %t.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; The end is read from memory that the loop may change.
; CHECK-LABEL: define void @bound_changes(
; CHECK: loop:
; CHECK: call void @__taskrace_write8(ptr %q)
define void @bound_changes(ptr %p, ptr %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr inbounds i64, ptr %p, i64 %i
  store i64 1, ptr %q
  %next = add nuw nsw i64 %i, 1
  %end = load i64, ptr %n
  %more = icmp ult i64 %next, %end
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; More iterations than a size can count.
; CHECK-LABEL: define void @too_many(
; CHECK: loop:
; CHECK: call void @__taskrace_write_rows(ptr %{{.*}}, i64 1, i64 %{{.*}}, i64 %{{.*}})
define void @too_many(ptr %p, i128 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i128 [ 0, %entry ], [ %next, %loop ]
  %index = trunc i128 %i to i64
  %q = getelementptr i8, ptr %p, i64 %index
  store i8 1, ptr %q
  %next = add nuw i128 %i, 1
  %more = icmp ult i128 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; What comes after an inner loop that may never end.
; CHECK-LABEL: define void @after_endless_loop(
; CHECK: latch:
; CHECK: call void @__taskrace_write4(ptr %q)
define void @after_endless_loop(ptr %p, ptr %list) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %inner
inner:
  %node = phi ptr [ %list, %loop ], [ %after, %inner ]
  %after = load ptr, ptr %node
  %end = icmp eq ptr %after, null
  br i1 %end, label %latch, label %inner
latch:
  %q = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 1, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

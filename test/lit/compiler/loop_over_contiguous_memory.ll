; An access that walks through memory without gaps in every iteration is one range before the loop.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

; CHECK-LABEL: define void @up(
; CHECK: preheader:
; CHECK: %[[N:.*]] = shl i64 %n, 2
; CHECK: call void @__taskrace_write_range(ptr %p, i64 %[[N]])
; CHECK: loop:
; CHECK-NOT: __taskrace_
; CHECK: exit:
define void @up(ptr %p, i64 %n) sanitize_thread {
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %preheader, label %exit
preheader:
  br label %loop
loop:
  %i = phi i64 [ 0, %preheader ], [ %next, %loop ]
  %q = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 1, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %after
after:
  br label %exit
exit:
  ret void
}

; Downwards, the range begins at the last one.
; CHECK-LABEL: define void @down(
; CHECK: %[[FIRST:.*]] = getelementptr i8, ptr %p, i64 8
; CHECK: call void @__taskrace_read_range(ptr %[[FIRST]], i64 72)
; CHECK: loop:
; CHECK-NOT: __taskrace_
; CHECK: exit:
define void @down(ptr %p) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 9, %entry ], [ %next, %loop ]
  %q = getelementptr inbounds i64, ptr %p, i64 %i
  %value = load i64, ptr %q
  %next = add nsw i64 %i, -1
  %more = icmp ugt i64 %next, 0
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Read and written alike: the write stands for both.
; CHECK-LABEL: define void @update(
; CHECK-NOT: __taskrace_read
; CHECK: call void @__taskrace_write_range(ptr %p, i64 40)
; CHECK-NOT: __taskrace_{{read|write}}
; CHECK: exit:
define void @update(ptr %p) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr inbounds i32, ptr %p, i64 %i
  %value = load i32, ptr %q
  %twice = add i32 %value, %value
  store i32 %twice, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

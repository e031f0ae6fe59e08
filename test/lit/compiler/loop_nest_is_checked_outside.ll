; The range of an inner loop leaves the outer loop too, if it is the same in each iteration or moves in equal steps.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

; p[0 .. 99] is written in each of the n iterations: one range, before both loops.
; CHECK-LABEL: define void @same(
; CHECK: preheader:
; CHECK: call void @__taskrace_write_range(ptr %p, i64 400)
; CHECK: outer:
; CHECK-NOT: __taskrace_{{write|read}}
; CHECK: exit:
define void @same(ptr %p, i64 %n) sanitize_thread {
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %preheader, label %exit
preheader:
  br label %outer
outer:
  %i = phi i64 [ 0, %preheader ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %q = getelementptr inbounds i32, ptr %p, i64 %j
  store i32 1, ptr %q
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ne i64 %j.next, 100
  br i1 %again, label %inner, label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %outer, label %exit.loop
exit.loop:
  br label %exit
exit:
  ret void
}

; Rows of 400 bytes, 400 bytes apart: all of them are one range.
; CHECK-LABEL: define void @rows(
; CHECK: preheader:
; CHECK: %[[SIZE:.*]] = mul i64 %n, 400
; CHECK: call void @__taskrace_write_range(ptr %p, i64 %[[SIZE]])
; CHECK: outer:
; CHECK-NOT: __taskrace_{{write|read}}
; CHECK: exit:
define void @rows(ptr %p, i64 %n) sanitize_thread {
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %preheader, label %exit
preheader:
  br label %outer
outer:
  %i = phi i64 [ 0, %preheader ], [ %i.next, %latch ]
  %row = getelementptr inbounds [100 x i32], ptr %p, i64 %i
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %q = getelementptr inbounds i32, ptr %row, i64 %j
  store i32 1, ptr %q
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ne i64 %j.next, 100
  br i1 %again, label %inner, label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %outer, label %exit.loop
exit.loop:
  br label %exit
exit:
  ret void
}

; Rows with a gap between them: one check of all rows.
; CHECK-LABEL: define void @gaps(
; CHECK: preheader:
; CHECK: call void @__taskrace_write_rows(ptr %p, i64 396, i64 %n, i64 400)
; CHECK: outer:
; CHECK-NOT: __taskrace_{{write|read}}
; CHECK: exit:
define void @gaps(ptr %p, i64 %n) sanitize_thread {
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %preheader, label %exit
preheader:
  br label %outer
outer:
  %i = phi i64 [ 0, %preheader ], [ %i.next, %latch ]
  %row = getelementptr inbounds [100 x i32], ptr %p, i64 %i
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %q = getelementptr inbounds i32, ptr %row, i64 %j
  store i32 1, ptr %q
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ne i64 %j.next, 99
  br i1 %again, label %inner, label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %outer, label %exit.loop
exit.loop:
  br label %exit
exit:
  ret void
}

; A call in the outer loop may start a strand: the range stays inside.
; CHECK-LABEL: define void @calls(
; CHECK: outer:
; CHECK: call void @__taskrace_write_range(ptr %p, i64 400)
; CHECK: exit:
declare void @anything()
define void @calls(ptr %p, i64 %n) sanitize_thread {
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %preheader, label %exit
preheader:
  br label %outer
outer:
  %i = phi i64 [ 0, %preheader ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %q = getelementptr inbounds i32, ptr %p, i64 %j
  store i32 1, ptr %q
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ne i64 %j.next, 100
  br i1 %again, label %inner, label %latch
latch:
  call void @anything()
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %outer, label %exit.loop
exit.loop:
  br label %exit
exit:
  ret void
}

; The inner loop runs in some iterations only: so does its check.
; CHECK-LABEL: define void @sometimes(
; CHECK: preheader:
; CHECK-NOT: __taskrace_{{write|read}}
; CHECK: outer:
; CHECK: call void @__taskrace_write_range(ptr %p, i64 400)
; CHECK: exit:
define void @sometimes(ptr %p, i64 %n) sanitize_thread {
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %preheader, label %exit
preheader:
  br label %outer
outer:
  %i = phi i64 [ 0, %preheader ], [ %i.next, %latch ]
  %odd = trunc i64 %i to i1
  br i1 %odd, label %before, label %latch
before:
  br label %inner
inner:
  %j = phi i64 [ 0, %before ], [ %j.next, %inner ]
  %q = getelementptr inbounds i32, ptr %p, i64 %j
  store i32 1, ptr %q
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ne i64 %j.next, 100
  br i1 %again, label %inner, label %after
after:
  br label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %outer, label %exit.loop
exit.loop:
  br label %exit
exit:
  ret void
}

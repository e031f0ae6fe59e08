; Accesses side by side, of one kind, at one line, with no barrier between, are one check: where the first was.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare void @anything()

; Fields of a structure, in any order.
; CHECK-LABEL: define void @fields(
; CHECK: call void @__taskrace_write_range(ptr %{{.*}}, i64 24)
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
define void @fields(ptr %p) sanitize_thread {
  %y = getelementptr i8, ptr %p, i64 8
  store i64 1, ptr %y
  %z = getelementptr i8, ptr %p, i64 16
  store i64 2, ptr %z
  store i64 0, ptr %p
  ret void
}

; Neighbours of an element whose index is not known; two of four bytes have a hook for eight.
; CHECK-LABEL: define i32 @elements(
; CHECK: call void @__taskrace_read8(
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i32
define i32 @elements(ptr %p, i64 %i) sanitize_thread {
  %q = getelementptr i32, ptr %p, i64 %i
  %a = load i32, ptr %q
  %next = add nsw i64 %i, 1
  %r = getelementptr i32, ptr %p, i64 %next
  %b = load i32, ptr %r
  %c = add i32 %a, %b
  ret i32 %c
}

; With a byte between them that nobody touches.
; CHECK-LABEL: define void @gap(
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK: call void @__taskrace_write4(ptr %q)
define void @gap(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  %q = getelementptr i8, ptr %p, i64 5
  store i32 2, ptr %q
  ret void
}

; Of two kinds.
; CHECK-LABEL: define void @kinds(
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK: call void @__taskrace_read4(ptr %q)
define void @kinds(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %a = load i32, ptr %q
  ret void
}

; What lies between may end the strand.
; CHECK-LABEL: define void @barrier(
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK: call void @anything()
; CHECK: call void @__taskrace_write4(ptr %q)
define void @barrier(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  call void @anything()
  %q = getelementptr i8, ptr %p, i64 4
  store i32 2, ptr %q
  ret void
}

; Only one of them is sure to happen.
; CHECK-LABEL: define void @conditional(
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK: then:
; CHECK: call void @__taskrace_write4(ptr %q)
define void @conditional(ptr %p, i1 %c) sanitize_thread {
  store i32 1, ptr %p
  br i1 %c, label %then, label %end
then:
  %q = getelementptr i8, ptr %p, i64 4
  store i32 2, ptr %q
  br label %end
end:
  ret void
}

; Before and after a condition: the two blocks are executed both or not at all.
; CHECK-LABEL: define void @around_a_condition(
; CHECK: call void @__taskrace_write8(ptr %p)
; CHECK: then:
; CHECK: call void @__taskrace_write4(ptr %elsewhere)
; CHECK: end:
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
define void @around_a_condition(ptr %p, ptr %elsewhere, i1 %c) sanitize_thread {
  store i32 1, ptr %p
  br i1 %c, label %then, label %end
then:
  store i32 0, ptr %elsewhere
  br label %end
end:
  %q = getelementptr i8, ptr %p, i64 4
  store i32 2, ptr %q
  ret void
}

; The same, but one way from the first to the second may end the strand.
; CHECK-LABEL: define void @around_a_barrier(
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK: end:
; CHECK: call void @__taskrace_write4(ptr %q)
define void @around_a_barrier(ptr %p, i1 %c) sanitize_thread {
  store i32 1, ptr %p
  br i1 %c, label %then, label %end
then:
  call void @anything()
  br label %end
end:
  %q = getelementptr i8, ptr %p, i64 4
  store i32 2, ptr %q
  ret void
}

; The second comes after the first for sure, but maybe only in a later iteration, at another address.
; CHECK-LABEL: define void @later_iteration(
; CHECK: header:
; CHECK: body:
; CHECK: call void @__taskrace_write4(ptr %r)
; CHECK: call void @__taskrace_write_rows(ptr %p, i64 4,
define void @later_iteration(ptr %p, ptr %flags) mustprogress sanitize_thread {
entry:
  br label %header
header:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %q = getelementptr i64, ptr %p, i64 %i
  store i32 1, ptr %q
  %f = getelementptr i8, ptr %flags, i64 %i
  %flag = load i8, ptr %f
  %set = icmp ne i8 %flag, 0
  br i1 %set, label %latch, label %body
body:
  %r = getelementptr i8, ptr %q, i64 4
  store i32 2, ptr %r
  %more = icmp eq i64 %i, 100
  br i1 %more, label %latch, label %exit
latch:
  %next = add i64 %i, 1
  br label %header
exit:
  ret void
}

; A loop between them is sure to end.
; CHECK-LABEL: define void @around_a_loop(
; CHECK: call void @__taskrace_write8(ptr %p)
; CHECK-NOT: call void @__taskrace_write
; CHECK: ret void
define void @around_a_loop(ptr %p, ptr %list) mustprogress sanitize_thread {
entry:
  store i32 1, ptr %p
  br label %loop
loop:
  %node = phi ptr [ %list, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %node
  %last = icmp eq ptr %next, null
  br i1 %last, label %end, label %loop
end:
  %q = getelementptr i8, ptr %p, i64 4
  store i32 2, ptr %q
  ret void
}

; Nothing says that it is.
; CHECK-LABEL: define void @around_a_loop_that_may_not_end(
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK: end:
; CHECK: call void @__taskrace_write4(ptr %q)
define void @around_a_loop_that_may_not_end(ptr %p, ptr %list) sanitize_thread {
entry:
  store i32 1, ptr %p
  br label %loop
loop:
  %node = phi ptr [ %list, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %node
  %last = icmp eq ptr %next, null
  br i1 %last, label %end, label %loop
end:
  %q = getelementptr i8, ptr %p, i64 4
  store i32 2, ptr %q
  ret void
}

; It may wait for something that never comes.
; CHECK-LABEL: define void @around_a_loop_that_waits(
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK: end:
; CHECK: call void @__taskrace_write4(ptr %q)
define void @around_a_loop_that_waits(ptr %p, ptr %list) mustprogress sanitize_thread {
entry:
  store i32 1, ptr %p
  br label %loop
loop:
  %node = phi ptr [ %list, %entry ], [ %next, %loop ]
  %next = load volatile ptr, ptr %node
  %last = icmp eq ptr %next, null
  br i1 %last, label %end, label %loop
end:
  %q = getelementptr i8, ptr %p, i64 4
  store i32 2, ptr %q
  ret void
}

; A strand may end in it.
; CHECK-LABEL: define void @around_a_loop_with_a_barrier(
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK: end:
; CHECK: call void @__taskrace_write4(ptr %q)
define void @around_a_loop_with_a_barrier(ptr %p, ptr %list) mustprogress sanitize_thread {
entry:
  store i32 1, ptr %p
  br label %loop
loop:
  %node = phi ptr [ %list, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %node
  call void @anything()
  %last = icmp eq ptr %next, null
  br i1 %last, label %end, label %loop
end:
  %q = getelementptr i8, ptr %p, i64 4
  store i32 2, ptr %q
  ret void
}

; A read is left to the check of a write of the same bytes that is certain to follow in the same strand.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare void @anything()

; CHECK-LABEL: define void @both_ways(
; CHECK-NOT: __taskrace_read4
; CHECK: ret void
define void @both_ways(ptr %p) mustprogress sanitize_thread {
  %a = load i32, ptr %p
  %c = icmp eq i32 %a, 0
  br i1 %c, label %then, label %else
then:
  store i32 1, ptr %p
  br label %end
else:
  store i64 2, ptr %p
  br label %end
end:
  ret void
}

; CHECK-LABEL: define void @one_way(
; CHECK: call void @__taskrace_read4(ptr %p)
define void @one_way(ptr %p) mustprogress sanitize_thread {
  %a = load i32, ptr %p
  %c = icmp eq i32 %a, 0
  br i1 %c, label %then, label %end
then:
  store i32 1, ptr %p
  br label %end
end:
  ret void
}

; CHECK-LABEL: define void @barrier_on_a_way(
; CHECK: call void @__taskrace_read4(ptr %p)
define void @barrier_on_a_way(ptr %p) mustprogress sanitize_thread {
  %a = load i32, ptr %p
  %c = icmp eq i32 %a, 0
  br i1 %c, label %then, label %end
then:
  call void @anything()
  br label %end
end:
  store i32 1, ptr %p
  ret void
}

; A loop between them, which must come to an end in C++ ...
; CHECK-LABEL: define void @loop_that_ends(
; CHECK-NOT: call void @__taskrace_read4(ptr %p)
; CHECK: ret void
define void @loop_that_ends(ptr %p, ptr %list) mustprogress sanitize_thread {
entry:
  %a = load i32, ptr %p
  br label %loop
loop:
  %node = phi ptr [ %list, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %node
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  store i32 1, ptr %p
  ret void
}

; ... but not in C ...
; CHECK-LABEL: define void @loop_that_may_not_end(
; CHECK: call void @__taskrace_read4(ptr %p)
define void @loop_that_may_not_end(ptr %p, ptr %list) sanitize_thread {
entry:
  %a = load i32, ptr %p
  br label %loop
loop:
  %node = phi ptr [ %list, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %node
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  store i32 1, ptr %p
  ret void
}

; ... and not if it waits for something.
; CHECK-LABEL: define void @loop_that_waits(
; CHECK: call void @__taskrace_read4(ptr %p)
define void @loop_that_waits(ptr %p, ptr %flag) mustprogress sanitize_thread {
entry:
  %a = load i32, ptr %p
  br label %loop
loop:
  %value = load atomic i32, ptr %flag acquire, align 4
  %end = icmp eq i32 %value, 0
  br i1 %end, label %exit, label %loop
exit:
  store i32 1, ptr %p
  ret void
}

; The write that follows for sure is that of the next iteration, at another address.
; CHECK-LABEL: define void @next_iteration(
; CHECK: body:
; CHECK: call void @__taskrace_read4(ptr %q)
define void @next_iteration(ptr %p, i64 %n) mustprogress sanitize_thread {
entry:
  br label %header
header:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %q
  %end = icmp eq i64 %i, %n
  br i1 %end, label %exit, label %body
body:
  call void @anything()
  %a = load i32, ptr %q
  %next = add i64 %i, 1
  br label %header
exit:
  ret void
}

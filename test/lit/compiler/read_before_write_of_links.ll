; A link that is read is written later on every way: at once, or when the loop comes back to it, or
; at the end. The write stands for the read.
; RUN: %opt -passes='function(taskrace)' -S %s | %FileCheck %s

declare void @outside()

; A tree is divided: each link that is followed is hung on one of two chains, and the end of a chain
; is written when the next node is hung on it, or at the end.
; CHECK-LABEL: define void @divides(
; CHECK: loop:
; CHECK: call void @__taskrace_read8(ptr %node)
; CHECK: small:
; CHECK: call void @__taskrace_write8(ptr %small.end)
; CHECK: large:
; CHECK: call void @__taskrace_write8(ptr %large.end)
; CHECK: both:
; CHECK-NOT: call void @__taskrace_
; CHECK: exit:
; CHECK: call void @__taskrace_write8(ptr %small.last)
; CHECK: call void @__taskrace_write8(ptr %large.last)
define void @divides(ptr %tree, i64 %key, ptr %a, ptr %b) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %node = phi ptr [ %tree, %entry ], [ %next, %both ]
  %small.end = phi ptr [ %a, %entry ], [ %small.last, %both ]
  %large.end = phi ptr [ %b, %entry ], [ %large.last, %both ]
  %k = load i64, ptr %node
  %less = icmp slt i64 %k, %key
  br i1 %less, label %small, label %large
small:
  store ptr %node, ptr %small.end
  %right = getelementptr inbounds i8, ptr %node, i64 16
  br label %both
large:
  store ptr %node, ptr %large.end
  %left = getelementptr inbounds i8, ptr %node, i64 8
  br label %both
both:
  %link = phi ptr [ %right, %small ], [ %left, %large ]
  %small.last = phi ptr [ %right, %small ], [ %small.end, %large ]
  %large.last = phi ptr [ %large.end, %small ], [ %left, %large ]
  %next = load ptr, ptr %link
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  store ptr null, ptr %small.last
  store ptr null, ptr %large.last
  ret void
}

; The same, but one chain is left as it is at the end.
; CHECK-LABEL: define void @leaves_one_open(
; CHECK: %large.last = phi
; CHECK-NEXT: call void @__taskrace_read8(ptr %link)
define void @leaves_one_open(ptr %tree, i64 %key, ptr %a, ptr %b) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %node = phi ptr [ %tree, %entry ], [ %next, %both ]
  %small.end = phi ptr [ %a, %entry ], [ %small.last, %both ]
  %large.end = phi ptr [ %b, %entry ], [ %large.last, %both ]
  %k = load i64, ptr %node
  %less = icmp slt i64 %k, %key
  br i1 %less, label %small, label %large
small:
  store ptr %node, ptr %small.end
  %right = getelementptr inbounds i8, ptr %node, i64 16
  br label %both
large:
  store ptr %node, ptr %large.end
  %left = getelementptr inbounds i8, ptr %node, i64 8
  br label %both
both:
  %link = phi ptr [ %right, %small ], [ %left, %large ]
  %small.last = phi ptr [ %right, %small ], [ %small.end, %large ]
  %large.last = phi ptr [ %large.end, %small ], [ %left, %large ]
  %next = load ptr, ptr %link
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  store ptr null, ptr %small.last
  ret void
}

; A link that is hung on the other chain is lost, and never written.
; CHECK-LABEL: define void @forgets_one(
; CHECK: %large.last = phi
; CHECK-NEXT: call void @__taskrace_read8(ptr %link)
define void @forgets_one(ptr %tree, i64 %key, ptr %a, ptr %b) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %node = phi ptr [ %tree, %entry ], [ %next, %both ]
  %small.end = phi ptr [ %a, %entry ], [ %small.last, %both ]
  %large.end = phi ptr [ %b, %entry ], [ %large.last, %both ]
  %k = load i64, ptr %node
  %less = icmp slt i64 %k, %key
  br i1 %less, label %small, label %large
small:
  store ptr %node, ptr %small.end
  %right = getelementptr inbounds i8, ptr %node, i64 16
  br label %both
large:
  store ptr %node, ptr %small.end
  %left = getelementptr inbounds i8, ptr %node, i64 8
  br label %both
both:
  %link = phi ptr [ %right, %small ], [ %left, %large ]
  %small.last = phi ptr [ %right, %small ], [ %small.end, %large ]
  %large.last = phi ptr [ %large.end, %small ], [ %left, %large ]
  %next = load ptr, ptr %link
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  store ptr null, ptr %small.last
  store ptr null, ptr %large.last
  ret void
}

; A strand may end before the write.
; CHECK-LABEL: define void @over_a_barrier(
; CHECK: loop:
; CHECK-NEXT: phi
; CHECK-NEXT: call void @__taskrace_read8(ptr %link)
define void @over_a_barrier(ptr %list) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %link = phi ptr [ %list, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %link
  call void @outside()
  store ptr null, ptr %link
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; What is written in the next iteration is the link of that one.
; CHECK-LABEL: define void @writes_the_next_one(
; CHECK: loop:
; CHECK: call void @__taskrace_read8(ptr %link)
; CHECK: call void @__taskrace_write8(ptr %other)
define void @writes_the_next_one(ptr %list, ptr %first) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %link = phi ptr [ %list, %entry ], [ %next, %loop ]
  %other = phi ptr [ %first, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %link
  store ptr null, ptr %other
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; Nothing says that the loop ends.
; CHECK-LABEL: define void @may_go_on_for_ever(
; CHECK: %large.last = phi
; CHECK-NEXT: call void @__taskrace_read8(ptr %link)
define void @may_go_on_for_ever(ptr %tree, i64 %key, ptr %a, ptr %b) sanitize_thread {
entry:
  br label %loop
loop:
  %node = phi ptr [ %tree, %entry ], [ %next, %both ]
  %small.end = phi ptr [ %a, %entry ], [ %small.last, %both ]
  %large.end = phi ptr [ %b, %entry ], [ %large.last, %both ]
  %k = load i64, ptr %node
  %less = icmp slt i64 %k, %key
  br i1 %less, label %small, label %large
small:
  store ptr %node, ptr %small.end
  %right = getelementptr inbounds i8, ptr %node, i64 16
  br label %both
large:
  store ptr %node, ptr %large.end
  %left = getelementptr inbounds i8, ptr %node, i64 8
  br label %both
both:
  %link = phi ptr [ %right, %small ], [ %left, %large ]
  %small.last = phi ptr [ %right, %small ], [ %small.end, %large ]
  %large.last = phi ptr [ %large.end, %small ], [ %left, %large ]
  %next = load ptr, ptr %link
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  store ptr null, ptr %small.last
  store ptr null, ptr %large.last
  ret void
}

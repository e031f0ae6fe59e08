; A link that is read is written when the loop comes back to it, but for the last one: that is checked
; where the loop is left.
; RUN: %opt -passes='function(loop-simplify,taskrace)' -S %s | %FileCheck %s

declare void @outside()

; A list is walked; each link is written again, and some nodes are taken out.
; CHECK-LABEL: define void @keeps_some(
; CHECK: entry:
; CHECK: call void @__taskrace_read8(ptr %list)
; CHECK: loop:
; CHECK-NOT: call void @__taskrace_read8
; CHECK: call void @__taskrace_read4(ptr %tag)
; CHECK: back:
; CHECK: call void @__taskrace_write8(ptr %link)
; CHECK: br i1 %end
; CHECK: call void @__taskrace_read8(ptr %place)
; CHECK: exit:
define void @keeps_some(ptr %list) sanitize_thread mustprogress {
entry:
  %first = load ptr, ptr %list
  %empty = icmp eq ptr %first, null
  br i1 %empty, label %exit, label %loop
loop:
  %node = phi ptr [ %first, %entry ], [ %following, %back ]
  %link = phi ptr [ %list, %entry ], [ %next.link, %back ]
  %place = getelementptr inbounds i8, ptr %node, i64 16
  %next = load ptr, ptr %place
  %tag = getelementptr inbounds i8, ptr %node, i64 8
  %number = load i32, ptr %tag
  %stays = icmp sgt i32 %number, 0
  br i1 %stays, label %back, label %out
out:
  store ptr null, ptr %place
  br label %back
back:
  %next.link = phi ptr [ %place, %loop ], [ %link, %out ]
  %kept = phi ptr [ %node, %loop ], [ %next, %out ]
  store ptr %kept, ptr %link
  %following = load ptr, ptr %next.link
  %end = icmp eq ptr %following, null
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; The same as it is before the loop is turned round: it may be left before anything was read.
; CHECK-LABEL: define void @keeps_some_of_none(
; CHECK: loop:
; CHECK: [[LAST:%.*]] = phi ptr [ null, %entry ], [ %place, %back ]
; CHECK: body:
; CHECK-NOT: call void @__taskrace_read8
; CHECK: back:
; CHECK: call void @__taskrace_write8(ptr %link)
; CHECK: exit:
; CHECK: [[IS:%.*]] = icmp ne ptr [[LAST]], null
; CHECK: br i1 [[IS]], label %[[MADE:.*]], label
; CHECK: [[MADE]]:
; CHECK: call void @__taskrace_read8(ptr [[LAST]])
define void @keeps_some_of_none(ptr %list) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %link = phi ptr [ %list, %entry ], [ %next.link, %back ]
  %node = load ptr, ptr %link
  %end = icmp eq ptr %node, null
  br i1 %end, label %exit, label %body
body:
  %place = getelementptr inbounds i8, ptr %node, i64 16
  %next = load ptr, ptr %place
  %number = load i32, ptr %node
  %stays = icmp sgt i32 %number, 0
  br i1 %stays, label %back, label %out
out:
  store ptr null, ptr %place
  br label %back
back:
  %next.link = phi ptr [ %place, %body ], [ %link, %out ]
  %kept = phi ptr [ %node, %body ], [ %next, %out ]
  store ptr %kept, ptr %link
  br label %loop
exit:
  ret void
}

; What is taken out is not written.
; CHECK-LABEL: define void @leaves_them_as_they_are(
; CHECK: %place = getelementptr
; CHECK-NEXT: call void @__taskrace_read8(ptr %place)
define void @leaves_them_as_they_are(ptr %list) sanitize_thread mustprogress {
entry:
  %first = load ptr, ptr %list
  %empty = icmp eq ptr %first, null
  br i1 %empty, label %exit, label %loop
loop:
  %node = phi ptr [ %first, %entry ], [ %following, %back ]
  %link = phi ptr [ %list, %entry ], [ %next.link, %back ]
  %place = getelementptr inbounds i8, ptr %node, i64 16
  %next = load ptr, ptr %place
  %number = load i32, ptr %node
  %stays = icmp sgt i32 %number, 0
  br i1 %stays, label %back, label %out
out:
  br label %back
back:
  %next.link = phi ptr [ %place, %loop ], [ %link, %out ]
  %kept = phi ptr [ %node, %loop ], [ %next, %out ]
  store ptr %kept, ptr %link
  %following = load ptr, ptr %next.link
  %end = icmp eq ptr %following, null
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; A strand may end before the loop comes back.
; CHECK-LABEL: define void @over_a_barrier(
; CHECK: %place = getelementptr
; CHECK-NEXT: call void @__taskrace_read8(ptr %place)
define void @over_a_barrier(ptr %list, ptr %first) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %node = phi ptr [ %first, %entry ], [ %next, %loop ]
  %link = phi ptr [ %list, %entry ], [ %place, %loop ]
  %place = getelementptr inbounds i8, ptr %node, i64 16
  %next = load ptr, ptr %place
  store ptr %node, ptr %link
  call void @outside()
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; The same without: the last link is not written.
; CHECK-LABEL: define void @without_a_barrier(
; CHECK: loop:
; CHECK-NOT: call void @__taskrace_read8
; CHECK: br i1 %end
; CHECK: call void @__taskrace_read8
define void @without_a_barrier(ptr %list, ptr %first) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %node = phi ptr [ %first, %entry ], [ %next, %loop ]
  %link = phi ptr [ %list, %entry ], [ %place, %loop ]
  %place = getelementptr inbounds i8, ptr %node, i64 16
  %next = load ptr, ptr %place
  store ptr %node, ptr %link
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; The link before the last one is not written either: the loop is left when the next one has been
; read.
; CHECK-LABEL: define void @leaves_two(
; CHECK: %place = getelementptr
; CHECK-NEXT: call void @__taskrace_read8(ptr %place)
define void @leaves_two(ptr %list, ptr %first) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %node = phi ptr [ %first, %entry ], [ %next, %back ]
  %link = phi ptr [ %list, %entry ], [ %place, %back ]
  %place = getelementptr inbounds i8, ptr %node, i64 16
  %next = load ptr, ptr %place
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %back
back:
  store ptr %node, ptr %link
  br label %loop
exit:
  ret void
}

; A variable that is volatile may be waited for.
; CHECK-LABEL: define void @while_others_watch(
; CHECK: %place = getelementptr
; CHECK-NEXT: call void @__taskrace_read8(ptr %place)
define void @while_others_watch(ptr %list, ptr %first, ptr %flag) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %node = phi ptr [ %first, %entry ], [ %next, %loop ]
  %link = phi ptr [ %list, %entry ], [ %place, %loop ]
  %place = getelementptr inbounds i8, ptr %node, i64 16
  %next = load ptr, ptr %place
  store ptr %node, ptr %link
  store volatile i8 1, ptr %flag
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; Nothing says that the loop ends.
; CHECK-LABEL: define void @may_go_on_for_ever(
; CHECK: %place = getelementptr
; CHECK-NEXT: call void @__taskrace_read8(ptr %place)
define void @may_go_on_for_ever(ptr %list, ptr %first) sanitize_thread {
entry:
  br label %loop
loop:
  %node = phi ptr [ %first, %entry ], [ %next, %loop ]
  %link = phi ptr [ %list, %entry ], [ %place, %loop ]
  %place = getelementptr inbounds i8, ptr %node, i64 16
  %next = load ptr, ptr %place
  store ptr %node, ptr %link
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

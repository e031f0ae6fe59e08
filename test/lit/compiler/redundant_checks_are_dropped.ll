; A check is dropped if on every way to it the same bytes were checked already, for the same kind of access or
; for a write, and nothing between can end the strand.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare void @anything()
declare i32 @number() memory(none) nounwind willreturn

; CHECK-LABEL: define i32 @read_again(
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i32
define i32 @read_again(ptr %p) sanitize_thread {
  %a = load i32, ptr %p
  %n = call i32 @number()
  %b = load i32, ptr %p
  %sum = add i32 %a, %b
  ret i32 %sum
}

; A part of what was written.
; CHECK-LABEL: define i8 @read_after_write(
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i8
define i8 @read_after_write(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  %q = getelementptr i8, ptr %p, i64 2
  %b = load i8, ptr %q
  ret i8 %b
}

; A read does not stand for a write.
; CHECK-LABEL: define void @write_after_read(
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK: call void @__taskrace_write4(ptr %p)
define void @write_after_read(ptr %p, i1 %c) sanitize_thread {
  %a = load i32, ptr %p
  br i1 %c, label %then, label %end
then:
  store i32 1, ptr %p
  br label %end
end:
  ret void
}

; More than was checked.
; CHECK-LABEL: define i64 @larger(
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK: call void @__taskrace_read8(ptr %p)
define i64 @larger(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  %b = load i64, ptr %p
  ret i64 %b
}

; Two checks together.
; CHECK-LABEL: define i64 @both_halves(
; CHECK: call void @__taskrace_write4(ptr %q)
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i64
define i64 @both_halves(ptr %p) sanitize_thread {
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %q
  %a = load i32, ptr %p
  %b = load i64, ptr %p
  ret i64 %b
}

; On either way to it, though not by the same check.
; CHECK-LABEL: define i32 @both_ways(
; CHECK: then:
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK: else:
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK: end:
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i32
define i32 @both_ways(ptr %p, i1 %c) sanitize_thread {
  br i1 %c, label %then, label %else
then:
  store i32 1, ptr %p
  br label %end
else:
  %a = load i32, ptr %p
  br label %end
end:
  %b = load i32, ptr %p
  ret i32 %b
}

; On one way only.
; CHECK-LABEL: define i32 @one_way(
; CHECK: end:
; CHECK: call void @__taskrace_read4(ptr %p)
define i32 @one_way(ptr %p, i1 %c) sanitize_thread {
  br i1 %c, label %then, label %end
then:
  store i32 1, ptr %p
  br label %end
end:
  %b = load i32, ptr %p
  ret i32 %b
}

; On one way the strand may have ended.
; CHECK-LABEL: define i32 @barrier_on_a_way(
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK: end:
; CHECK: call void @__taskrace_read4(ptr %p)
define i32 @barrier_on_a_way(ptr %p, i1 %c) sanitize_thread {
  %a = load i32, ptr %p
  br i1 %c, label %then, label %end
then:
  call void @anything()
  br label %end
end:
  %b = load i32, ptr %p
  %sum = add i32 %a, %b
  ret i32 %sum
}

; Around a loop to itself: the address is another one in every iteration.
; CHECK-LABEL: define void @moves(
; CHECK: loop:
; CHECK: call void @__taskrace_read8(ptr %node)
define void @moves(ptr %list) sanitize_thread {
entry:
  br label %loop
loop:
  %node = phi ptr [ %list, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %node
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; The variable is a new one.
; CHECK-LABEL: define void @new_variable(
; CHECK: call void @__taskrace_write4(ptr %x)
; CHECK: call void @__taskrace_lifetime_start(
; CHECK: call void @__taskrace_write4(ptr %x)
declare void @use(ptr)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
define void @new_variable() sanitize_thread {
  %x = alloca i32
  call void @llvm.lifetime.start.p0(i64 4, ptr %x)
  call void @use(ptr %x)
  store i32 1, ptr %x
  call void @llvm.lifetime.end.p0(i64 4, ptr %x)
  call void @llvm.lifetime.start.p0(i64 4, ptr %x)
  store i32 2, ptr %x
  call void @llvm.lifetime.end.p0(i64 4, ptr %x)
  ret void
}

; The write is about the last element that the loop has read, not about those before it.
; CHECK-LABEL: define void @write_after_the_loop(
; CHECK: call void @__taskrace_read_range(
; CHECK: call void @__taskrace_write4(
define void @write_after_the_loop(ptr %p, i32 %x) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %q = phi ptr [ %p, %entry ], [ %next, %loop ]
  %next = getelementptr inbounds i32, ptr %q, i64 1
  %a = load i32, ptr %q
  %c = icmp eq i32 %a, %x
  br i1 %c, label %end, label %loop
end:
  store i32 0, ptr %q
  ret void
}

; A list that is walked and changed: whichever way the link comes, it was read or written before.
; CHECK-LABEL: define void @link(
; CHECK: body:
; CHECK: call void @__taskrace_read8(ptr %next)
; CHECK: latch:
; CHECK: call void @__taskrace_write8(ptr %at)
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
define void @link(ptr %list, ptr %first) sanitize_thread mustprogress {
entry:
  br label %body
body:
  %patient = phi ptr [ %first, %entry ], [ %following, %latch ]
  %at = phi ptr [ %list, %entry ], [ %link, %latch ]
  %next = getelementptr i8, ptr %patient, i64 16
  %rest = load ptr, ptr %next
  %stays = icmp ugt ptr %rest, %patient
  br i1 %stays, label %latch, label %drop
drop:
  br label %latch
latch:
  %link = phi ptr [ %next, %body ], [ %at, %drop ]
  %kept = phi ptr [ %patient, %body ], [ %rest, %drop ]
  store ptr %kept, ptr %at
  %following = load ptr, ptr %link
  %more = icmp eq ptr %following, null
  br i1 %more, label %end, label %body
end:
  ret void
}

; On one way it was not, or a barrier came between.
; CHECK-LABEL: define i32 @unknown_on_one_way(
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK: end:
; CHECK: call void @__taskrace_read4(ptr %r)
define i32 @unknown_on_one_way(ptr %p, ptr %q, i1 %c) sanitize_thread {
entry:
  %a = load i32, ptr %p
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  %r = phi ptr [ %p, %entry ], [ %q, %then ]
  %b = load i32, ptr %r
  %sum = add i32 %a, %b
  ret i32 %sum
}
; CHECK-LABEL: define i32 @barrier_on_one_way(
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK: call void @__taskrace_read4(ptr %q)
; CHECK: end:
; CHECK: call void @__taskrace_read4(ptr %r)
define i32 @barrier_on_one_way(ptr %p, ptr %q, i1 %c) sanitize_thread {
entry:
  %a = load i32, ptr %p
  %d = load i32, ptr %q
  br i1 %c, label %then, label %end
then:
  call void @anything()
  br label %end
end:
  %r = phi ptr [ %p, %entry ], [ %q, %then ]
  %b = load i32, ptr %r
  %sum = add i32 %a, %b
  %all = add i32 %sum, %d
  ret i32 %all
}

; On both it was, but a barrier comes after they have met, in the same block or in one between.
; CHECK-LABEL: define i32 @barrier_after_the_ways_have_met(
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK: call void @__taskrace_read4(ptr %q)
; CHECK: end:
; CHECK: call void @__taskrace_read4(ptr %r)
define i32 @barrier_after_the_ways_have_met(ptr %p, ptr %q, i1 %c) sanitize_thread {
  %a = load i32, ptr %p
  %b = load i32, ptr %q
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  %r = phi ptr [ %p, %0 ], [ %q, %then ]
  call void @anything()
  %x = load i32, ptr %r
  ret i32 %x
}
; CHECK-LABEL: define i32 @barrier_in_a_block_between(
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK: call void @__taskrace_read4(ptr %q)
; CHECK: later:
; CHECK: call void @__taskrace_read4(ptr %r)
define i32 @barrier_in_a_block_between(ptr %p, ptr %q, i1 %c) sanitize_thread {
  %a = load i32, ptr %p
  %b = load i32, ptr %q
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  %r = phi ptr [ %p, %0 ], [ %q, %then ]
  call void @anything()
  br i1 %c, label %later, label %done
later:
  %x = load i32, ptr %r
  ret i32 %x
done:
  ret i32 0
}

; The place that the loop comes back to is the one that was written before the strand may have ended,
; though the place that is written now has the same name.
; CHECK-LABEL: define void @the_place_before(
; CHECK: loop:
; CHECK: call void @__taskrace_write8(ptr %place)
; CHECK: call void @__taskrace_read8(ptr %link)
define void @the_place_before(ptr %list, ptr %first) sanitize_thread {
entry:
  store ptr null, ptr %list
  br label %loop
loop:
  %node = phi ptr [ %first, %entry ], [ %next, %loop ]
  %link = phi ptr [ %list, %entry ], [ %place, %loop ]
  %place = getelementptr inbounds i8, ptr %node, i64 16
  store ptr null, ptr %place
  %next = load ptr, ptr %link
  call void @anything()
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

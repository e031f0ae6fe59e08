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

; An alloca is private while its address stays in the function, and is then not mentioned at all.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare void @callee(ptr nocapture readonly)
declare void @by_value(ptr byval([4 x i32]))
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
@global = global i32 0

; CHECK-LABEL: define i32 @accesses_only(
; CHECK-NOT: __taskrace_
; CHECK: ret i32
define i32 @accesses_only(i64 %i, i1 %c) sanitize_thread {
  %a = alloca [4 x i32]
  %b = alloca [4 x i32]
  %element = getelementptr [4 x i32], ptr %a, i64 0, i64 %i
  store i32 1, ptr %element
  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 16, i1 false)
  %either = select i1 %c, ptr %element, ptr %b
  store i32 2, ptr %either
  %same = icmp eq ptr %either, %b
  %value = load i32, ptr %b
  ret i32 %value
}

; CHECK-LABEL: define i32 @loop_over_it(
; CHECK-NOT: __taskrace_
; CHECK: ret i32
define i32 @loop_over_it(i64 %n) sanitize_thread {
entry:
  %a = alloca [64 x i32]
  %end = getelementptr i32, ptr %a, i64 %n
  br label %loop
loop:
  %p = phi ptr [ %a, %entry ], [ %next, %loop ]
  store i32 1, ptr %p
  %next = getelementptr i32, ptr %p, i64 1
  %done = icmp eq ptr %next, %end
  br i1 %done, label %exit, label %loop
exit:
  ret i32 0
}

; A callee may spawn a task, whatever it promises about its argument.
; CHECK-LABEL: define void @nocapture_call(
; CHECK: call void @__taskrace_write4(ptr %a)
define void @nocapture_call() sanitize_thread {
  %a = alloca i32
  store i32 1, ptr %a
  call void @callee(ptr nocapture %a)
  ret void
}

; A copy is made for a byval argument: its source is read here, and stays private.
; CHECK-LABEL: define void @passed_by_value(
; CHECK-NOT: __taskrace_read
; CHECK: call void @by_value(ptr byval
; CHECK: call void @__taskrace_read16(ptr %p)
; CHECK-NEXT: call void @by_value(ptr byval
define void @passed_by_value(ptr %p) sanitize_thread {
  %a = alloca [4 x i32]
  store i32 1, ptr %a
  call void @by_value(ptr byval([4 x i32]) %a)
  call void @by_value(ptr byval([4 x i32]) %p)
  ret void
}

; Merged with an address of unknown origin, an access through the merge is checked if it is the other
; one (variables_mixed_with_other_memory.ll).
; CHECK-LABEL: define i32 @merged_with_a_global(
; CHECK-NOT: call void @__taskrace_
; CHECK: br i1
; CHECK: call void @__taskrace_read4(ptr %either)
define i32 @merged_with_a_global(i1 %c) sanitize_thread {
  %a = alloca i32
  store i32 1, ptr %a
  %either = select i1 %c, ptr %a, ptr @global
  %value = load i32, ptr %either
  ret i32 %value
}

; CHECK-LABEL: define void @merged_with_one_that_escapes(
; CHECK: call void @__taskrace_lifetime_start(ptr %b,
; CHECK-NOT: ptr %a)
; CHECK: br i1
; CHECK: call void @__taskrace_write4(ptr %either)
define void @merged_with_one_that_escapes(i1 %c) sanitize_thread {
  %a = alloca i32
  %b = alloca i32
  call void @callee(ptr %b)
  store i32 1, ptr %a
  %either = select i1 %c, ptr %a, ptr %b
  store i32 2, ptr %either
  ret void
}

; CHECK-LABEL: define void @stored(
; CHECK: call void @__taskrace_write4(ptr %a)
define void @stored(ptr %p) sanitize_thread {
  %a = alloca i32
  store i32 1, ptr %a
  store ptr %a, ptr %p
  ret void
}

; CHECK-LABEL: define i64 @made_a_number(
; CHECK: call void @__taskrace_write4(ptr %a)
define i64 @made_a_number() sanitize_thread {
  %a = alloca i32
  store i32 1, ptr %a
  %n = ptrtoint ptr %a to i64
  ret i64 %n
}

; An argument passed in memory is this function's own, too.
; CHECK-LABEL: define i32 @own_argument(
; CHECK-NOT: __taskrace_
; CHECK: ret i32
define i32 @own_argument(ptr byval([4 x i32]) %a) sanitize_thread {
  %value = load i32, ptr %a
  ret i32 %value
}

; CHECK-LABEL: define void @own_argument_that_escapes(
; CHECK: call void @__taskrace_lifetime_start(ptr %a, i64 16,
; CHECK: call void @__taskrace_write4(ptr %a)
; CHECK: call void @callee
; CHECK: call void @__taskrace_lifetime_end(ptr %a, i64 16)
define void @own_argument_that_escapes(ptr byval([4 x i32]) %a) sanitize_thread {
  store i32 1, ptr %a
  call void @callee(ptr %a)
  ret void
}

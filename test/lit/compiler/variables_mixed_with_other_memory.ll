; A variable whose address is mixed with others, and only read and written through what comes out,
; stays private: the hook is called if the address is another one.
; RUN: %opt -passes='function(taskrace)' -S %s | %FileCheck %s

declare void @outside(ptr)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; CHECK-LABEL: define i64 @first_link(
; CHECK-NOT: call void @__taskrace_
; CHECK: %[[AT:.*]] = ptrtoint ptr %link to i64
; CHECK: %[[HEAD:.*]] = ptrtoint ptr %head to i64
; CHECK: %[[DISTANCE:.*]] = sub i64 %[[AT]], %[[HEAD]]
; CHECK: %[[ELSEWHERE:.*]] = icmp uge i64 %[[DISTANCE]], 8
; CHECK: br i1 %[[ELSEWHERE]], label %[[CHECK:.*]], label %[[ACCESS:.*]]
; CHECK: [[CHECK]]:
; CHECK-NEXT: call void @__taskrace_write8(ptr %link)
; CHECK-NEXT: br label %[[ACCESS]]
; CHECK: [[ACCESS]]:
; CHECK-NEXT: store ptr %p, ptr %link
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i64
define i64 @first_link(i1 %c, ptr %p, i64 %n) sanitize_thread {
entry:
  %head = alloca i64
  call void @llvm.lifetime.start.p0(i64 8, ptr %head)
  store i64 0, ptr %head
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %link = phi ptr [ %head, %entry ], [ %other, %loop ]
  store ptr %p, ptr %link
  %other = getelementptr i8, ptr %p, i64 %i
  %next = add i64 %i, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %a = load i64, ptr %head
  call void @llvm.lifetime.end.p0(i64 8, ptr %head)
  ret i64 %a
}

; One of two variables.
; CHECK-LABEL: define void @either(
; CHECK-NOT: call void @__taskrace_lifetime
; CHECK: icmp uge i64 {{.*}}, 4
; CHECK: icmp uge i64 {{.*}}, 12
; CHECK: %[[BOTH:.*]] = and i1
; CHECK: br i1 %[[BOTH]],
; CHECK: call void @__taskrace_read4(ptr %one)
define void @either(i1 %c, i1 %d, ptr %p) sanitize_thread {
  %x = alloca i32
  %y = alloca [3 x i32]
  %some = select i1 %c, ptr %x, ptr %y
  %one = select i1 %d, ptr %p, ptr %some
  %a = load i32, ptr %one
  ret void
}

; Its address goes elsewhere, too.
; CHECK-LABEL: define void @escapes_later(
; CHECK: call void @__taskrace_lifetime_start(ptr %x
; CHECK-NOT: br i1
; CHECK: call void @__taskrace_write4(ptr %one)
define void @escapes_later(i1 %c, ptr %p) sanitize_thread {
  %x = alloca i32
  %one = select i1 %c, ptr %x, ptr %p
  store i32 1, ptr %one
  call void @outside(ptr %x)
  ret void
}
; CHECK-LABEL: define void @escapes_mixed(
; CHECK: call void @__taskrace_lifetime_start(ptr %x
; CHECK: call void @__taskrace_write4(ptr %one)
define void @escapes_mixed(i1 %c, ptr %p) sanitize_thread {
  %x = alloca i32
  %one = select i1 %c, ptr %x, ptr %p
  store i32 1, ptr %one
  call void @outside(ptr %one)
  ret void
}
; CHECK-LABEL: define ptr @is_returned(
; CHECK: call void @__taskrace_lifetime_start(ptr %x
define ptr @is_returned(i1 %c, ptr %p) sanitize_thread {
  %x = alloca i32
  %one = select i1 %c, ptr %x, ptr %p
  ret ptr %one
}

; Accesses that are not planned are checked as they are.
; CHECK-LABEL: define void @is_volatile(
; CHECK: call void @__taskrace_lifetime_start(ptr %x
; CHECK-NOT: br i1
; CHECK: call void @__taskrace_write4(ptr %one)
define void @is_volatile(i1 %c, ptr %p) sanitize_thread {
  %x = alloca i32
  %one = select i1 %c, ptr %x, ptr %p
  store volatile i32 1, ptr %one
  ret void
}
; CHECK-LABEL: define void @is_atomic(
; CHECK: call void @__taskrace_lifetime_start(ptr %x
; CHECK: call void @__taskrace_atomic_write(ptr %one, i64 4)
define void @is_atomic(i1 %c, ptr %p) sanitize_thread {
  %x = alloca i32
  %one = select i1 %c, ptr %x, ptr %p
  store atomic i32 1, ptr %one monotonic, align 4
  ret void
}
; CHECK-LABEL: define void @is_set(
; CHECK: call void @__taskrace_lifetime_start(ptr %x
; CHECK: call void @__taskrace_write_range(ptr %one, i64 %n)
define void @is_set(i1 %c, ptr %p, i64 %n) sanitize_thread {
  %x = alloca [64 x i8]
  %one = select i1 %c, ptr %x, ptr %p
  call void @llvm.memset.p0.i64(ptr %one, i8 0, i64 %n, i1 false)
  ret void
}
; Without optimisation nothing is planned.
; CHECK-LABEL: define void @optnone(
; CHECK: call void @__taskrace_lifetime_start(ptr %x
; CHECK: call void @__taskrace_write4(ptr %one)
define void @optnone(i1 %c, ptr %p) sanitize_thread noinline optnone {
  %x = alloca i32
  %one = select i1 %c, ptr %x, ptr %p
  store i32 1, ptr %one
  ret void
}
; Of unknown size, and living as long as the frame.
; CHECK-LABEL: define void @variable_size(
; CHECK: call void @__taskrace_lifetime_start(ptr %x
define void @variable_size(i1 %c, ptr %p, i64 %n) sanitize_thread {
  %x = alloca i32, i64 %n
  %one = select i1 %c, ptr %x, ptr %p
  store i32 1, ptr %one
  ret void
}

; A pointer that is read out of a thread_local whose address has left before optimisation may be that of a
; block of its own: the hook stands before the read, but not twice in a strand.
; RUN: %opt -passes='taskrace-prepare,function(taskrace),verify' -S %s | %FileCheck %s

@container = thread_local global { ptr, ptr, i64 } zeroinitializer
@other = external thread_local global { ptr, ptr, i64 }
@current = thread_local global { ptr, i64 } zeroinitializer
declare ptr @llvm.threadlocal.address.p0(ptr)
declare void @member(ptr)
declare void @anything()

; CHECK-LABEL: define void @passed(
; CHECK: call void @__taskrace_thread_local(
; CHECK: call void @member(
define void @passed() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @container)
  call void @member(ptr %p)
  ret void
}

; CHECK-LABEL: define void @read(
; CHECK: call void @__taskrace_thread_local(ptr {{.*}}, i64 24)
; CHECK: %begin = load ptr
; CHECK: call void @__taskrace_write4(ptr %begin)
define void @read() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @container)
  %begin = load ptr, ptr %p
  store i32 1, ptr %begin
  ret void
}

; It costs nothing to read something else.
; CHECK-LABEL: define i64 @number(
; CHECK-NOT: __taskrace_
; CHECK: ret i64
define i64 @number() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @container)
  %at = getelementptr { ptr, ptr, i64 }, ptr %p, i64 0, i32 2
  %value = load i64, ptr %at
  store i64 7, ptr %at
  ret i64 %value
}

; The address of this one goes nowhere: what it points to may be anybody's.
; CHECK-LABEL: define void @no_owner(
; CHECK-NOT: __taskrace_thread_local
; CHECK: call void @__taskrace_write4(ptr %shared)
; CHECK: ret void
define void @no_owner() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @current)
  %shared = load ptr, ptr %p
  store i32 1, ptr %shared
  ret void
}

; Nor does it leave if only the function that initialises it returns it.
; CHECK-LABEL: define void @initialised(
; CHECK-NOT: __taskrace_thread_local
; CHECK: call void @__taskrace_write4(ptr %shared)
; CHECK: ret void
define weak_odr hidden ptr @_ZTW7current() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @current)
  ret ptr %p
}
define void @initialised() {
  %p = call ptr @_ZTW7current()
  %shared = load ptr, ptr %p
  store i32 1, ptr %shared
  ret void
}

; CHECK-LABEL: define void @initialised_owner(
; CHECK: call void @__taskrace_thread_local(
; CHECK: load ptr
define weak_odr hidden ptr @_ZTW5other() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @other)
  ret ptr %p
}
define void @initialises_owner() {
  %p = call ptr @_ZTW5other()
  call void @member(ptr %p)
  ret void
}
define void @initialised_owner() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @other)
  %begin = load ptr, ptr %p
  store i32 1, ptr %begin
  ret void
}

; In the first iteration only, and again after the call.
; CHECK-LABEL: define void @in_a_loop(
; CHECK: loop:
; CHECK: %[[ANNOUNCED:.*]] = phi i1 [ false, %entry ], [ %[[LATER:.*]], %latch ]
; CHECK: %[[NOT:.*]] = xor i1 %[[ANNOUNCED]], true
; CHECK: br i1 %[[NOT]], label %[[HOOK:.*]], label %[[READ:[^ ]*]]
; CHECK: [[HOOK]]:
; CHECK: call void @__taskrace_thread_local(
; CHECK: [[READ]]:
; CHECK: %[[NOW:.*]] = phi i1 [ true, %[[HOOK]] ], [ %[[ANNOUNCED]], %loop ]
; CHECK: %end = load ptr
; CHECK-NOT: __taskrace_thread_local
; CHECK: grow:
; CHECK: call void @anything()
; CHECK: latch:
; CHECK: %[[LATER]] = phi i1 [ false, %grow ], [ %[[NOW]], %[[READ]] ]
define void @in_a_loop(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %p = call ptr @llvm.threadlocal.address.p0(ptr @container)
  %end = load ptr, ptr %p
  store i64 %i, ptr %end
  %next = getelementptr i64, ptr %end, i64 1
  store ptr %next, ptr %p
  %is.full = icmp eq i64 %i, 7
  br i1 %is.full, label %grow, label %latch
grow:
  call void @anything()
  br label %latch
latch:
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

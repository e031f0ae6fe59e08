; A closure is its creator's until the task begins, and then the task's: if neither lets its address
; go, nothing about it is checked.
; RUN: %opt -passes='taskrace-passed,function(taskrace)' -S %s | %FileCheck %s

@somewhere = global ptr null
declare ptr @__taskrace_task_storage(i64, i64)
declare void @__taskrace_async(ptr, ptr)
declare void @__taskrace_spawn(ptr, ptr, ptr)
declare void @outside(ptr)

; CHECK-LABEL: define internal void @body(ptr {{.*}}"taskrace-private"
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
define internal void @body(ptr %closure) sanitize_thread {
  %a = load i32, ptr %closure
  store i32 2, ptr %closure
  ret void
}
; CHECK-LABEL: define void @creates(
; CHECK-NOT: call void @__taskrace_write
; CHECK: call void @__taskrace_async(
define void @creates(i32 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %closure = call ptr @__taskrace_task_storage(i64 4, i64 4)
  store i32 %i, ptr %closure
  call void @__taskrace_async(ptr @body, ptr %closure)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; The storage may come from a function that makes it.
; CHECK: define internal ptr @makes_storage(ptr %first) #[[STORAGE:[0-9]+]]
define internal ptr @makes_storage(ptr %first) {
  %storage = call ptr @__taskrace_task_storage(i64 16, i64 8)
  store ptr %first, ptr %storage
  ret ptr %storage
}
; CHECK-LABEL: define linkonce_odr ptr @keeps_a_copy() {
define linkonce_odr ptr @keeps_a_copy() {
  %storage = call ptr @__taskrace_task_storage(i64 16, i64 8)
  store ptr %storage, ptr @somewhere
  ret ptr %storage
}
; CHECK-LABEL: define void @spawns(
; CHECK-NOT: call void @__taskrace_write
; CHECK: call void @__taskrace_spawn(
define void @spawns(ptr %scope) sanitize_thread {
  %closure = call ptr @makes_storage(ptr null)
  store i32 7, ptr %closure
  call void @__taskrace_spawn(ptr %scope, ptr @body, ptr %closure)
  ret void
}

; The task lets it go, or lets go what is in it.
; CHECK-LABEL: define internal void @leaking_body(ptr %closure)
; CHECK: call void @__taskrace_read4(ptr %closure)
define internal void @leaking_body(ptr %closure) sanitize_thread {
  %a = load i32, ptr %closure
  call void @outside(ptr %closure)
  ret void
}
; CHECK-LABEL: define void @creates_leaking(
; CHECK: call void @__taskrace_write4(ptr %closure)
define void @creates_leaking() sanitize_thread {
  %closure = call ptr @__taskrace_task_storage(i64 4, i64 4)
  store i32 1, ptr %closure
  call void @__taskrace_async(ptr @leaking_body, ptr %closure)
  ret void
}

; The creator uses it later, in parallel with the task.
; CHECK-LABEL: define internal void @body_of_used_later(ptr
; CHECK-NOT: "taskrace-private"
; CHECK: call void @__taskrace_read4(ptr %closure)
define internal void @body_of_used_later(ptr %closure) sanitize_thread {
  %a = load i32, ptr %closure
  ret void
}
; CHECK-LABEL: define void @uses_it_later(
; CHECK: call void @__taskrace_write4(ptr %closure)
; CHECK: call void @__taskrace_async(
; CHECK: call void @__taskrace_write4(ptr %closure)
define void @uses_it_later() sanitize_thread {
  %closure = call ptr @__taskrace_task_storage(i64 4, i64 4)
  store i32 1, ptr %closure
  call void @__taskrace_async(ptr @body_of_used_later, ptr %closure)
  store i32 2, ptr %closure
  ret void
}
; So it does in the next iteration of a loop, with the closure of the last one.
; CHECK-LABEL: define internal void @body_of_used_next(ptr
; CHECK-NOT: "taskrace-private"
; CHECK: call void @__taskrace_read4(ptr %closure)
define internal void @body_of_used_next(ptr %closure) sanitize_thread {
  %a = load i32, ptr %closure
  ret void
}
; CHECK-LABEL: define void @uses_it_next(
; CHECK: call void @__taskrace_write4(ptr %last)
define void @uses_it_next(i32 %n) sanitize_thread {
entry:
  %first = alloca i32
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %last = phi ptr [ %first, %entry ], [ %closure, %loop ]
  %closure = call ptr @__taskrace_task_storage(i64 4, i64 4)
  store i32 %i, ptr %last
  call void @__taskrace_async(ptr @body_of_used_next, ptr %closure)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
; Two tasks have it.
; CHECK-LABEL: define internal void @body_of_two(ptr
; CHECK-NOT: "taskrace-private"
; CHECK: call void @__taskrace_write4(ptr %closure)
define internal void @body_of_two(ptr %closure) sanitize_thread {
  store i32 1, ptr %closure
  ret void
}
; CHECK-LABEL: define void @creates_two(
define void @creates_two() sanitize_thread {
  %closure = call ptr @__taskrace_task_storage(i64 4, i64 4)
  call void @__taskrace_async(ptr @body_of_two, ptr %closure)
  call void @__taskrace_async(ptr @body_of_two, ptr %closure)
  ret void
}
; A variable is no closure: the task may outlive it, and its creator goes on with it.
; CHECK-LABEL: define internal void @body_of_variable(ptr
; CHECK-NOT: "taskrace-private"
; CHECK: call void @__taskrace_write4(ptr %closure)
define internal void @body_of_variable(ptr %closure) sanitize_thread {
  store i32 1, ptr %closure
  ret void
}
; CHECK-LABEL: define void @creates_with_variable(
; CHECK: call void @__taskrace_lifetime_start(ptr %x
define void @creates_with_variable() sanitize_thread {
  %x = alloca i32
  store i32 0, ptr %x
  call void @__taskrace_async(ptr @body_of_variable, ptr %x)
  ret void
}
; Another creator, or a caller, passes something else.
; CHECK-LABEL: define internal void @body_of_several(ptr
; CHECK-NOT: "taskrace-private"
; CHECK: call void @__taskrace_read4(ptr %closure)
define internal void @body_of_several(ptr %closure) sanitize_thread {
  %a = load i32, ptr %closure
  ret void
}
; CHECK-LABEL: define void @creates_with_its_own(
; CHECK: call void @__taskrace_write4(ptr %closure)
define void @creates_with_its_own(ptr %p) sanitize_thread {
  %closure = call ptr @__taskrace_task_storage(i64 4, i64 4)
  store i32 1, ptr %closure
  call void @__taskrace_async(ptr @body_of_several, ptr %closure)
  call void @body_of_several(ptr %p)
  ret void
}
; CHECK: attributes #[[STORAGE]] = { "taskrace-storage" }

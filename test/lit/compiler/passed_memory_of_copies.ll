; A function that other modules may call is copied for the calls of its own, if these pass private
; memory: the copy needs no hooks for it.
; RUN: %opt -passes='taskrace-passed,function(taskrace)' -S %s | %FileCheck %s

@somewhere = global ptr null
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)

; CHECK-LABEL: define i32 @looks(ptr
; CHECK-NOT: "taskrace-private"
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK: ret i32
define i32 @looks(ptr %p) sanitize_thread {
  %a = load i32, ptr %p
  ret i32 %a
}
; CHECK-LABEL: define i32 @passes_its_own(
; CHECK-NOT: call void @__taskrace_
; CHECK: call i32 @looks.private(ptr %x)
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i32
define i32 @passes_its_own() sanitize_thread {
  %x = alloca i32
  call void @llvm.lifetime.start.p0(i64 4, ptr %x)
  store i32 0, ptr %x
  %a = call i32 @looks(ptr %x)
  call void @llvm.lifetime.end.p0(i64 4, ptr %x)
  ret i32 %a
}

; It calls itself: so do both.
; CHECK-LABEL: define i32 @goes_down(ptr
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK: call i32 @goes_down.private(ptr %next,
define i32 @goes_down(ptr %p, i32 %n) sanitize_thread {
  %next = alloca i32
  %a = load i32, ptr %p
  store i32 %a, ptr %next
  %end = icmp eq i32 %n, 0
  br i1 %end, label %last, label %down
down:
  %less = sub i32 %n, 1
  %b = call i32 @goes_down(ptr %next, i32 %less)
  ret i32 %b
last:
  ret i32 %a
}

; Whoever has its address calls the function itself.
; CHECK-LABEL: define void @is_known_by_address(ptr
; CHECK: call void @__taskrace_write4(ptr %p)
define void @is_known_by_address(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define void @tells_its_address(
; CHECK: store ptr @is_known_by_address, ptr @somewhere
; CHECK: call void @is_known_by_address.private(ptr %x)
define void @tells_its_address() sanitize_thread {
  %x = alloca i32
  store ptr @is_known_by_address, ptr @somewhere
  call void @is_known_by_address(ptr %x)
  ret void
}

; One call that passes something else is enough.
; CHECK-LABEL: define void @fills_anything(ptr
; CHECK: call void @__taskrace_write4(ptr %p)
define void @fills_anything(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define void @passes_what_it_got(
; CHECK: call void @fills_anything(ptr %x)
; CHECK: call void @fills_anything(ptr %p)
define void @passes_what_it_got(ptr %p) sanitize_thread {
  %x = alloca i32
  call void @fills_anything(ptr %x)
  call void @fills_anything(ptr %p)
  ret void
}

; It lets the address go.
; CHECK-LABEL: define void @stores_it(ptr %p)
define void @stores_it(ptr %p) sanitize_thread {
  store ptr %p, ptr @somewhere
  ret void
}
; Another one may be linked in its place.
; CHECK-LABEL: define weak void @may_be_replaced(ptr %p)
define weak void @may_be_replaced(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define void @passes_to_others(
; CHECK: call void @stores_it(ptr %x)
; CHECK: call void @may_be_replaced(ptr %y)
define void @passes_to_others() sanitize_thread {
  %x = alloca i32
  %y = alloca i32
  call void @stores_it(ptr %x)
  call void @may_be_replaced(ptr %y)
  ret void
}

; CHECK: define internal i32 @looks.private(ptr {{.*}}"taskrace-private"
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i32
; CHECK: define internal i32 @goes_down.private(ptr {{.*}}"taskrace-private"
; CHECK-NOT: call void @__taskrace_
; CHECK: call i32 @goes_down.private(ptr %next
; CHECK: define internal void @is_known_by_address.private(ptr {{.*}}"taskrace-private"
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
; CHECK-NOT: define{{.*}}.private

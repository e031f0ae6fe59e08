; A frame is pushed at the entry and popped at every exit, and is the top again wherever control comes
; back from an unknown depth.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare void @callee()
declare i32 @_setjmp(ptr) returns_twice
declare i32 @__gxx_personality_v0(...)
declare double @llvm.sqrt.f64(double)

; CHECK: @__taskrace_top = external thread_local(initialexec) global ptr

; CHECK-LABEL: define void @caller(
; CHECK-NEXT: %[[T:.*]] = call {{.*}}ptr @llvm.threadlocal.address.p0(ptr @__taskrace_top)
; CHECK-NEXT: %[[CALLERS:.*]] = load ptr, ptr %[[T]]{{.*}}!nosanitize
; CHECK-NEXT: %[[MINE:.*]] = getelementptr i8, ptr %[[CALLERS]], i64 16
; CHECK-NEXT: %[[R:.*]] = call ptr @llvm.returnaddress(i32 0)
; CHECK-NEXT: %[[F0:.*]] = getelementptr i8, ptr %[[MINE]], i64 0
; CHECK-NEXT: store ptr %[[R]], ptr %[[F0]]
; CHECK-NEXT: %[[F1:.*]] = getelementptr i8, ptr %[[MINE]], i64 8
; CHECK-NEXT: store i32 0, ptr %[[F1]]
; CHECK-NEXT: %[[T2:.*]] = call {{.*}}ptr @llvm.threadlocal.address.p0(ptr @__taskrace_top)
; CHECK-NEXT: store ptr %[[MINE]], ptr %[[T2]]
; CHECK-NEXT: call void @callee()
; CHECK-NEXT: %[[T3:.*]] = call {{.*}}ptr @llvm.threadlocal.address.p0(ptr @__taskrace_top)
; CHECK-NEXT: store ptr %[[CALLERS]], ptr %[[T3]]
; CHECK-NEXT: ret void
define void @caller() sanitize_thread {
  call void @callee()
  ret void
}

; No call, no check: no frame.
; CHECK-LABEL: define double @leaf(
; CHECK-NOT: __taskrace_top
; CHECK: ret double
define double @leaf(double %x) sanitize_thread {
  %r = call double @llvm.sqrt.f64(double %x)
  ret double %r
}

; CHECK-LABEL: define void @catches(
; CHECK: landingpad
; CHECK-NEXT: cleanup
; CHECK-NEXT: %[[T:.*]] = call {{.*}}@llvm.threadlocal.address.p0(ptr @__taskrace_top)
; CHECK-NEXT: store ptr %[[MINE:.*]], ptr %[[T]]
; CHECK: %[[T4:.*]] = call {{.*}}@llvm.threadlocal.address.p0(ptr @__taskrace_top)
; CHECK-NEXT: store ptr %{{.*}}, ptr %[[T4]]
; CHECK-NEXT: resume
define void @catches() sanitize_thread personality ptr @__gxx_personality_v0 {
  invoke void @callee() to label %normal unwind label %unwind
normal:
  ret void
unwind:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}

; CHECK-LABEL: define i32 @jumps(
; CHECK: call i32 @_setjmp(ptr %buffer)
; CHECK-NEXT: %[[T:.*]] = call {{.*}}@llvm.threadlocal.address.p0(ptr @__taskrace_top)
; CHECK-NEXT: store ptr %{{.*}}, ptr %[[T]]
define i32 @jumps(ptr %buffer) sanitize_thread {
  %r = call i32 @_setjmp(ptr %buffer) returns_twice
  ret i32 %r
}

; Nothing may stand between a musttail call and the return: the frame goes before the call.
; CHECK-LABEL: define void @tail_calls(
; CHECK: store i8 0, ptr %p
; CHECK-NEXT: %[[T:.*]] = call {{.*}}@llvm.threadlocal.address.p0(ptr @__taskrace_top)
; CHECK-NEXT: store ptr %{{.*}}, ptr %[[T]]
; CHECK-NEXT: musttail call void @target(ptr %p)
; CHECK-NEXT: ret void
declare void @target(ptr)
define void @tail_calls(ptr %p) sanitize_thread {
  store i8 0, ptr %p
  musttail call void @target(ptr %p)
  ret void
}

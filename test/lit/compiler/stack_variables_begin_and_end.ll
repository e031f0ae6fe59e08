; Begin and end of variables whose address leaves their function: at LLVM's markers where there are some,
; else at the function's entry and exits.
; RUN: %opt -passes=taskrace,verify -S %s | %FileCheck %s

declare void @callee(ptr)
declare i32 @__gxx_personality_v0(...)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)

; CHECK-LABEL: define void @markers(
; CHECK: call void @llvm.lifetime.start.p0(i64 8, ptr %a)
; CHECK-NEXT: call void @__taskrace_lifetime_start(ptr %a, i64 8, ptr null)
; CHECK: call void @callee(ptr %a)
; CHECK: call void @__taskrace_lifetime_end(ptr %a, i64 8)
; CHECK-NEXT: call void @llvm.lifetime.end.p0(i64 8, ptr %a)
; CHECK-NOT: __taskrace_lifetime
; CHECK: ret void
define void @markers() sanitize_thread {
  %a = alloca i64
  call void @llvm.lifetime.start.p0(i64 8, ptr %a)
  call void @callee(ptr %a)
  call void @llvm.lifetime.end.p0(i64 8, ptr %a)
  ret void
}

; A size of -1 means all of it.
; CHECK-LABEL: define void @unknown_size(
; CHECK: call void @__taskrace_lifetime_start(ptr %a, i64 24, ptr null)
; CHECK: call void @__taskrace_lifetime_end(ptr %a, i64 24)
define void @unknown_size() sanitize_thread {
  %a = alloca [3 x i64]
  call void @llvm.lifetime.start.p0(i64 -1, ptr %a)
  call void @callee(ptr %a)
  call void @llvm.lifetime.end.p0(i64 -1, ptr %a)
  ret void
}

; CHECK-LABEL: define void @no_markers(
; CHECK: call ptr @llvm.returnaddress
; CHECK: call void @__taskrace_lifetime_start(ptr %a, i64 8, ptr null)
; CHECK: invoke
; CHECK: call void @__taskrace_lifetime_end(ptr %a, i64 8)
; CHECK-NEXT: threadlocal
; CHECK-NEXT: store
; CHECK-NEXT: ret void
; CHECK: call void @__taskrace_lifetime_end(ptr %a, i64 8)
; CHECK: resume
define void @no_markers() sanitize_thread personality ptr @__gxx_personality_v0 {
  %a = alloca i64
  invoke void @callee(ptr %a) to label %normal unwind label %unwind
normal:
  ret void
unwind:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}

; CHECK-LABEL: define void @variable_size(
; CHECK: %a = alloca i32, i64 %n
; CHECK-NEXT: %[[S:.*]] = mul i64 4, %n
; CHECK-NEXT: call void @__taskrace_lifetime_start(ptr %a, i64 %[[S]], ptr null)
; CHECK-NOT: __taskrace_lifetime_end
; CHECK: ret void
define void @variable_size(i64 %n) sanitize_thread {
  br label %body
body:
  %a = alloca i32, i64 %n
  call void @callee(ptr %a)
  ret void
}

; Of two instructions in different blocks neither comes before the other, whatever number it has in
; its block: here the first call is the fifth of its block, and the second alloca the first.
; CHECK-LABEL: define void @later_block(
; CHECK-NOT: __taskrace_lifetime_start(ptr %late
; CHECK: later:
; CHECK-NEXT: %late = alloca i32, i64 %n
; CHECK-NEXT: %[[S:.*]] = mul i64 4, %n
; CHECK-NEXT: call void @__taskrace_lifetime_start(ptr %late, i64 %[[S]], ptr null)
; CHECK-NEXT: %constant = alloca i32
; CHECK-NEXT: call void @__taskrace_lifetime_start(ptr %constant, i64 4, ptr null)
; CHECK-NOT: __taskrace_lifetime_end(ptr %{{late|constant}}
define void @later_block(i64 %n) sanitize_thread {
  %a = alloca i64
  %b = alloca i64
  %c = alloca i64
  %d = alloca i64
  call void @callee(ptr %a)
  call void @callee(ptr %b)
  call void @callee(ptr %c)
  call void @callee(ptr %d)
  %some = icmp ne i64 %n, 0
  br i1 %some, label %later, label %end
later:
  %late = alloca i32, i64 %n
  %constant = alloca i32
  call void @callee(ptr %late)
  call void @callee(ptr %constant)
  br label %end
end:
  ret void
}

; A read is left to the check of a write of the same bytes that follows in the same block, if nothing
; between them can end the strand.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare void @callee()

; CHECK-LABEL: define void @increment(
; CHECK-NOT: __taskrace_read
; CHECK: call void @__taskrace_write4(ptr %p)
define void @increment(ptr %p) sanitize_thread {
  %value = load i32, ptr %p
  %more = add i32 %value, 1
  store i32 %more, ptr %p
  ret void
}

; CHECK-LABEL: define void @smaller_write(
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK: call void @__taskrace_write1(ptr %p)
define void @smaller_write(ptr %p) sanitize_thread {
  %value = load i32, ptr %p
  store i8 1, ptr %p
  ret void
}

; CHECK-LABEL: define void @call_between(
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK: call void @callee()
; CHECK: call void @__taskrace_write4(ptr %p)
define void @call_between(ptr %p) sanitize_thread {
  %value = load i32, ptr %p
  call void @callee()
  store i32 1, ptr %p
  ret void
}

; CHECK-LABEL: define i32 @read_after(
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK: call void @__taskrace_read4(ptr %p)
define i32 @read_after(ptr %p) sanitize_thread {
  store volatile i32 1, ptr %p
  %value = load i32, ptr %p
  ret i32 %value
}

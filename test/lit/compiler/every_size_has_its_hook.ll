; Every load and store is checked with the bytes that it touches, by the hook for that size.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare void @anything()

; Calls between them, so that no check stands for two.
; CHECK-LABEL: define void @sizes(
define void @sizes(ptr %p, ptr %q) sanitize_thread {
; CHECK: call void @__taskrace_read1(ptr %p)
; CHECK-NEXT: load i8, ptr %p
  %a = load i8, ptr %p
  call void @anything()
; CHECK: call void @__taskrace_write1(ptr %q)
; CHECK-NEXT: store i8 %a, ptr %q
  store i8 %a, ptr %q
  call void @anything()
; CHECK: call void @__taskrace_read1(ptr %p)
; CHECK-NEXT: load i1
  %bit = load i1, ptr %p
  call void @anything()
; CHECK: call void @__taskrace_read2(ptr %p)
  %b = load i16, ptr %p, align 1
  call void @anything()
; CHECK: call void @__taskrace_write4(ptr %q)
  store float 1.0, ptr %q
  call void @anything()
; CHECK: call void @__taskrace_read8(ptr %p)
  %d = load ptr, ptr %p
  call void @anything()
; CHECK: call void @__taskrace_write16(ptr %q)
  store <4 x i32> zeroinitializer, ptr %q
  call void @anything()
; CHECK: call void @__taskrace_read_range(ptr %p, i64 10)
; CHECK-NEXT: load x86_fp80
  %e = load x86_fp80, ptr %p
  call void @anything()
; CHECK: call void @__taskrace_read_range(ptr %p, i64 32)
  %f = load <8 x float>, ptr %p
  call void @anything()
; CHECK: call void @__taskrace_write_range(ptr %q, i64 64)
  store <16 x float> zeroinitializer, ptr %q
  call void @anything()
; CHECK: call void @__taskrace_write_range(ptr %q, i64 24)
  store { i64, i64, i64 } zeroinitializer, ptr %q
  call void @anything()
; CHECK: call void @__taskrace_read_range(ptr %p, i64 3)
  %g = load i24, ptr %p
  call void @anything()
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK-NEXT: load volatile
  %h = load volatile i32, ptr %p
  ret void
}

; A function that nobody asked to instrument stays as it is.
; CHECK-LABEL: define void @left_alone(
; CHECK-NEXT: store
; CHECK-NEXT: ret
define void @left_alone(ptr %p) {
  store i8 0, ptr %p
  ret void
}

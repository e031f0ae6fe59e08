; A function that the module defines is not the library's, and one with another signature is left alone.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare void @read(double)

; CHECK-LABEL: define void @caller(
; CHECK-NOT: __taskrace_{{read|write}}
; CHECK: call i64 @strlen(ptr %p)
; CHECK-NOT: __taskrace_{{read|write}}
; CHECK: ret void
define void @caller(ptr %p) sanitize_thread {
  call i64 @strlen(ptr %p)
  call void @read(double 1.0)
  ret void
}
define i64 @strlen(ptr %p) {
  ret i64 0
}

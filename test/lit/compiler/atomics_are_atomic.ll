; Atomic operations have hooks of their own; a read-modify-write is a write, whether it succeeds or not.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

; CHECK-LABEL: define i32 @atomics(
define i32 @atomics(ptr %p) sanitize_thread {
; CHECK: call void @__taskrace_atomic_read(ptr %p, i64 4)
; CHECK-NEXT: load atomic
  %a = load atomic i32, ptr %p acquire, align 4
; CHECK: call void @__taskrace_atomic_write(ptr %p, i64 8)
; CHECK-NEXT: store atomic
  store atomic i64 1, ptr %p release, align 8
; CHECK: call void @__taskrace_atomic_write(ptr %p, i64 2)
; CHECK-NEXT: atomicrmw
  %b = atomicrmw add ptr %p, i16 1 seq_cst
; CHECK: call void @__taskrace_atomic_write(ptr %p, i64 16)
; CHECK-NEXT: cmpxchg
  %c = cmpxchg ptr %p, i128 0, i128 1 seq_cst seq_cst
  ret i32 %a
}

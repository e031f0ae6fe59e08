; Atomic operations have hooks of their own; a read-modify-write is a write, whether it succeeds or not. What they order
; is announced around the check: by bits for reads (1), writes (2), updates (4), acquires (8), releases (16).
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

; CHECK-LABEL: define i32 @atomics(
define i32 @atomics(ptr %p) sanitize_thread {
; CHECK: call void @__taskrace_atomic_acquire(ptr %p, i32 9)
; CHECK-NEXT: call void @__taskrace_atomic_read(ptr %p, i64 4)
; CHECK-NEXT: load atomic
  %a = load atomic i32, ptr %p acquire, align 4
; CHECK-NOT: atomic_acquire
; CHECK: call void @__taskrace_atomic_write(ptr %p, i64 8)
; CHECK-NEXT: call void @__taskrace_atomic_release(ptr %p, i32 18)
; CHECK-NEXT: store atomic
  store atomic i64 1, ptr %p release, align 8
; The result is not used: nothing is acquired.
; CHECK-NOT: atomic_acquire
; CHECK: call void @__taskrace_atomic_write(ptr %p, i64 2)
; CHECK-NEXT: call void @__taskrace_atomic_release(ptr %p, i32 30)
; CHECK-NEXT: atomicrmw
  %b = atomicrmw add ptr %p, i16 1 seq_cst
; CHECK: call void @__taskrace_atomic_acquire(ptr %p, i32 15)
; CHECK-NEXT: call void @__taskrace_atomic_write(ptr %p, i64 16)
; CHECK-NEXT: call void @__taskrace_atomic_release(ptr %p, i32 15)
; CHECK-NEXT: cmpxchg
  %c = cmpxchg ptr %p, i128 0, i128 1 acquire monotonic
  %d = extractvalue { i128, i1 } %c, 1
; CHECK: call void @__taskrace_atomic_fence(i32 24)
; CHECK-NEXT: fence
  fence acq_rel
; CHECK-NOT: atomic_fence
  fence syncscope("singlethread") seq_cst
; CHECK: ret
  %e = zext i1 %d to i32
  ret i32 %e
}

; A check is neither dropped nor moved across what orders other accesses.
; CHECK-LABEL: define i32 @barrier(
define i32 @barrier(ptr %p, ptr %flag) sanitize_thread {
; CHECK: call void @__taskrace_read4(ptr %p)
  %a = load i32, ptr %p, align 4
; CHECK: load atomic
  %b = load atomic i32, ptr %flag acquire, align 4
; CHECK: call void @__taskrace_read4(ptr %p)
  %c = load i32, ptr %p, align 4
; CHECK: load atomic
  %d = load atomic i32, ptr %flag monotonic, align 4
; CHECK-NOT: call void @__taskrace_read4(ptr %p)
  %e = load i32, ptr %p, align 4
; CHECK: ret
  %f = add i32 %a, %c
  %g = add i32 %f, %e
  ret i32 %g
}

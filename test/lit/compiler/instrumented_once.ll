; Running the pass again changes nothing.
; RUN: %opt -passes='taskrace,taskrace' -S %s | %FileCheck %s

; CHECK-LABEL: define void @once(
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK-NOT: __taskrace_write4
; CHECK: ret void
; CHECK: attributes #{{.*}} "taskrace-instrumented"
define void @once(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  ret void
}

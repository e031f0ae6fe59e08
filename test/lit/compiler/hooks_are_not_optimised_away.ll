; Hooks do not throw, are not tail calls, go through the GOT, and say nothing about memory.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s
; RUN: %opt -passes='function(taskrace),default<O2>' -S %s | %FileCheck %s --check-prefix=O2

; CHECK: notail call void @__taskrace_write4(ptr %p) #[[CALL:[0-9]+]]
; CHECK: declare void @__taskrace_write4(ptr) #[[HOOK:[0-9]+]]
; CHECK: attributes #[[HOOK]] = { nounwind nonlazybind }
; CHECK: attributes #[[CALL]] = { nounwind }

declare void @anything() memory(none) nounwind
; Two writes of the same bytes in what may be two strands: the first store is dead without hooks, and stays
; with them.
; O2: call void @__taskrace_write4
; O2-NEXT: store i32 1
; O2: call void @__taskrace_write4
; O2-NEXT: store i32 2
define void @twice(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  call void @anything()
  store i32 2, ptr %p
  ret void
}

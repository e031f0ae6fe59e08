; main tells when it returns, also when it is not instrumented; another function of that name does not.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s
; RUN: sed -e 's/ sanitize_thread//' %s | %opt -passes=taskrace -S | %FileCheck %s
; RUN: sed -e 's/define i32 @main/define internal i32 @main/' %s | %opt -passes=taskrace -S | %FileCheck %s --check-prefix=INTERNAL

; CHECK-LABEL: define i32 @main(
; CHECK: early:
; CHECK: call void @__taskrace_main_end()
; CHECK: ret i32 1
; CHECK: late:
; CHECK: call void @__taskrace_main_end()
; CHECK: ret i32 0
; INTERNAL-NOT: __taskrace_main_end
define i32 @main(i32 %c) sanitize_thread {
  %few = icmp eq i32 %c, 0
  br i1 %few, label %early, label %late
early:
  ret i32 1
late:
  ret i32 0
}

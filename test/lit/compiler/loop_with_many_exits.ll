; A check waits for the end of a loop only if that is at few places, where a check can stand, none of them
; where exceptions arrive.
; RUN: %opt -passes='function(loop-simplify,taskrace),verify' -S %s | %FileCheck %s

declare void @exit0()
declare void @exit1()
declare void @exit2()
declare void @exit3()
declare void @exit4()
declare void @quiet(i32) "taskrace-quiet"
declare i32 @__gxx_personality_v0(...)

; CHECK-LABEL: define void @four_exits(
; CHECK: loop:
; CHECK-NOT: call void @__taskrace_
; CHECK: exit.0:
; CHECK: call void @__taskrace_read_range(
; CHECK: call void @exit0()
; CHECK: exit.1:
; CHECK: call void @__taskrace_read_range(
; CHECK: call void @exit1()
; CHECK: exit.2:
; CHECK: call void @__taskrace_read_range(
; CHECK: call void @exit2()
; CHECK: exit.3:
; CHECK: call void @__taskrace_read_range(
; CHECK: call void @exit3()
define void @four_exits(ptr %p) mustprogress sanitize_thread {
entry:
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %latch ]
  %value = load i32, ptr %at
  %next = getelementptr inbounds i32, ptr %at, i64 1
  switch i32 %value, label %latch [
    i32 0, label %exit.0
    i32 1, label %exit.1
    i32 2, label %exit.2
    i32 3, label %exit.3
  ]
latch:
  br label %loop
exit.0:
  call void @exit0()
  ret void
exit.1:
  call void @exit1()
  ret void
exit.2:
  call void @exit2()
  ret void
exit.3:
  call void @exit3()
  ret void
}

; Too much code.
; CHECK-LABEL: define void @five_exits(
; CHECK: loop:
; CHECK: call void @__taskrace_read4(ptr %at)
; CHECK-NOT: call void @__taskrace_
; CHECK: exit.4:
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
define void @five_exits(ptr %p) mustprogress sanitize_thread {
entry:
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %latch ]
  %value = load i32, ptr %at
  %next = getelementptr inbounds i32, ptr %at, i64 1
  switch i32 %value, label %latch [
    i32 0, label %exit.0
    i32 1, label %exit.1
    i32 2, label %exit.2
    i32 3, label %exit.3
    i32 4, label %exit.4
  ]
latch:
  br label %loop
exit.0:
  call void @exit0()
  ret void
exit.1:
  call void @exit1()
  ret void
exit.2:
  call void @exit2()
  ret void
exit.3:
  call void @exit3()
  ret void
exit.4:
  call void @exit4()
  ret void
}

; CHECK-LABEL: define void @thrown_out(
; CHECK: loop:
; CHECK: call void @__taskrace_read4(ptr %at)
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
define void @thrown_out(ptr %p) mustprogress sanitize_thread personality ptr @__gxx_personality_v0 {
entry:
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %latch ]
  %value = load i32, ptr %at
  %next = getelementptr inbounds i32, ptr %at, i64 1
  invoke void @quiet(i32 %value) to label %latch unwind label %pad
latch:
  %more = icmp ne i32 %value, 0
  br i1 %more, label %loop, label %exit
exit:
  ret void
pad:
  %exception = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %exception
}

; Functions that can end no strand, allocate nothing and return are marked; calls of them are no barriers.
; RUN: %opt -passes='taskrace-quiet' -S %s | %FileCheck %s
; RUN: %opt -passes='taskrace-quiet,function(taskrace)' -S %s | %FileCheck %s --check-prefix=CALLS

@own = thread_local global i32 0
declare void @anything()
declare void @throws() willreturn nofree memory(none)
declare double @sin(double) nounwind willreturn nofree memory(write)
declare i64 @lroundf(float) nounwind
declare i64 @lround(ptr) nounwind
declare noalias ptr @malloc(i64) nounwind willreturn allockind("alloc,uninitialized")
declare void @free(ptr) nounwind willreturn allockind("free")

; CHECK: define i32 @leaf(ptr %p) #[[QUIET:[0-9]+]]
define i32 @leaf(ptr %p) nounwind willreturn {
  %a = load i32, ptr %p
  ret i32 %a
}
; CHECK: define i32 @caller(ptr %p) #[[QUIET]]
define i32 @caller(ptr %p) nounwind willreturn {
  %s = call double @sin(double 1.0)
  %a = call i32 @leaf(ptr %p)
  ret i32 %a
}
; CHECK: define i32 @even(i32 %n) #[[QUIET]]
define i32 @even(i32 %n) nounwind willreturn {
  %a = call i32 @odd(i32 %n)
  ret i32 %a
}
; CHECK: define i32 @odd(i32 %n) #[[QUIET]]
define i32 @odd(i32 %n) nounwind willreturn {
  %a = call i32 @even(i32 %n)
  ret i32 %a
}
; CHECK: define void @calls_outside() #[[LOUD:[0-9]+]]
define void @calls_outside() nounwind willreturn {
  call void @anything()
  ret void
}
; CHECK: define void @calls_one_that_does() #[[LOUD]]
define void @calls_one_that_does() nounwind willreturn {
  call void @calls_outside()
  ret void
}
; CHECK: define void @through_pointer(ptr %f) #[[LOUD]]
define void @through_pointer(ptr %f) nounwind willreturn {
  call void %f()
  ret void
}
; CHECK: define ptr @allocates() #[[LOUD]]
define ptr @allocates() nounwind willreturn {
  %p = call ptr @malloc(i64 4)
  ret ptr %p
}
; CHECK: define void @frees(ptr %p) #[[LOUD]]
define void @frees(ptr %p) nounwind willreturn {
  call void @free(ptr %p)
  ret void
}
; CHECK: define ptr @lets_thread_local_leave() #[[LOUD]]
define ptr @lets_thread_local_leave() nounwind willreturn {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @own)
  ret ptr %p
}
; What calls nothing that throws does not throw, whatever LLVM knows of it.
; CHECK: define linkonce_odr void @throws_nothing() #[[INLINE:[0-9]+]]
define linkonce_odr void @throws_nothing() {
  call i32 @even(i32 2)
  ret void
}
; CHECK: define void @may_throw() {
define void @may_throw() {
  call void @throws()
  ret void
}
; CHECK: define weak void @may_be_replaced() #[[LOUD]]
define weak void @may_be_replaced() nounwind willreturn {
  ret void
}
; Nothing says that this loop ends.
; CHECK: define void @loops(i1 %c) #[[NOUNWIND:[0-9]+]]
define void @loops(i1 %c) nounwind {
entry:
  br label %loop
loop:
  br i1 %c, label %loop, label %exit
exit:
  ret void
}
; CHECK: define i64 @rounds(float %x) #[[QUIET]]
define i64 @rounds(float %x) nounwind willreturn {
  %n = call i64 @lroundf(float %x)
  ret i64 %n
}
; Not what its name says.
; CHECK: define i64 @rounds_what(ptr %x) #[[LOUD]]
define i64 @rounds_what(ptr %x) nounwind willreturn {
  %n = call i64 @lround(ptr %x)
  ret i64 %n
}

; CHECK-DAG: attributes #[[QUIET]] = { {{.*}}"taskrace-quiet" }
; CHECK-DAG: attributes #[[INLINE]] = { "taskrace-quiet" }
; CHECK-DAG: attributes #[[LOUD]] = { nounwind willreturn }
; CHECK-DAG: attributes #[[NOUNWIND]] = { nounwind }

; CALLS-LABEL: define i32 @over_quiet(
; CALLS: call void @__taskrace_write4(ptr %p)
; CALLS: call i32 @caller(ptr %q)
; CALLS-NOT: call void @__taskrace_
; CALLS: ret i32
define i32 @over_quiet(ptr %p, ptr %q) sanitize_thread {
  store i32 1, ptr %p
  %a = call i32 @caller(ptr %q)
  %b = load i32, ptr %p
  ret i32 %b
}
; CALLS-LABEL: define i32 @over_loud(
; CALLS: call void @__taskrace_write4(ptr %p)
; CALLS: call void @__taskrace_read4(ptr %p)
define i32 @over_loud(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  call void @calls_one_that_does()
  %b = load i32, ptr %p
  ret i32 %b
}
; The whole loop is one range, though it calls.
; CALLS-LABEL: define void @loop_over_quiet(
; CALLS: call void @__taskrace_write_range(ptr %p, i64 40)
; CALLS: loop:
; CALLS-NOT: call void @__taskrace_
; CALLS: ret void
define void @loop_over_quiet(ptr %p, ptr %q) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %p, i64 %i
  %a = call i32 @leaf(ptr %q)
  store i32 %a, ptr %at
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

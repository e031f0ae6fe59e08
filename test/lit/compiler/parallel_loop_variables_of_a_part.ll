; The end of a variable of a part is no access of the last iteration, for all iterations that know of it are over. That of a variable
; of an iteration is one of this iteration.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare i32 @__taskrace_iteration(i64)
declare void @use(ptr, ptr) nounwind
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)

; CHECK-LABEL: define void @part(
; CHECK: call void @__taskrace_lifetime_start(ptr %chunks,
; CHECK: call void @__taskrace_lifetime_start(ptr %own,
; CHECK: call void @__taskrace_lifetime_end(ptr %own,
; CHECK-NOT: call void @__taskrace_lifetime_end(
; CHECK: {{^}}}
define void @part(i64 %begin, i64 %end) sanitize_thread mustprogress {
entry:
  %chunks = alloca i64
  %own = alloca i64
  call void @llvm.lifetime.start.p0(i64 8, ptr %chunks)
  br label %loop
loop:
  %k = phi i64 [ %begin, %entry ], [ %next, %body ]
  %mark = call i32 @__taskrace_iteration(i64 %k)
  %stop = icmp eq i32 %mark, 0
  br i1 %stop, label %done, label %body
body:
  call void @llvm.lifetime.start.p0(i64 8, ptr %own)
  call void @use(ptr %chunks, ptr %own)
  call void @llvm.lifetime.end.p0(i64 8, ptr %own)
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %end
  br i1 %last, label %done, label %loop
done:
  call void @llvm.lifetime.end.p0(i64 8, ptr %chunks)
  ret void
}

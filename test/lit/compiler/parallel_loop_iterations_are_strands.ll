; A check stands for no access of another iteration, nor for one before or after the parallel loop.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare i32 @__taskrace_iteration(i64)

; CHECK-LABEL: define void @before_in_and_after(
; CHECK: call void @__taskrace_write4(ptr %p)
; CHECK: call void @__taskrace_loop_read(ptr %p, i64 4, i64 1, i64 0, ptr null, i64 0, i64 %begin,
; CHECK: call void @__taskrace_read4(ptr %p)
; CHECK: {{^}}}
define void @before_in_and_after(ptr %p, ptr %q, i64 %begin, i64 %end) sanitize_thread mustprogress {
entry:
  store i32 1, ptr %p
  br label %loop
loop:
  %k = phi i64 [ %begin, %entry ], [ %next, %body ]
  %mark = call i32 @__taskrace_iteration(i64 %k)
  %stop = icmp eq i32 %mark, 0
  br i1 %stop, label %done, label %body
body:
  %x = load i32, ptr %p
  %a = getelementptr i32, ptr %q, i64 %k
  store i32 %x, ptr %a
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %end
  br i1 %last, label %done, label %loop
done:
  %y = load i32, ptr %p
  store i32 %y, ptr %q
  ret void
}

; In one iteration it does: the write stands for the read. And the loop around has a barrier.
; CHECK-LABEL: define void @in_one_iteration(
; CHECK: outer:
; CHECK: call void @__taskrace_loop_write(ptr %{{.*}}, i64 4, i64 1, i64 0, ptr null, i64 4, i64 0, i64 %n)
; CHECK-NOT: call {{void|i32}} @__taskrace_
; CHECK: {{^}}}
define void @in_one_iteration(ptr %q, i64 %n, i64 %m) sanitize_thread mustprogress {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.end ]
  %row = getelementptr [100 x i32], ptr %q, i64 %i
  br label %loop
loop:
  %k = phi i64 [ 0, %outer ], [ %next, %body ]
  %mark = call i32 @__taskrace_iteration(i64 %k)
  %stop = icmp eq i32 %mark, 0
  br i1 %stop, label %outer.end, label %body
body:
  %a = getelementptr i32, ptr %row, i64 %k
  %x = load i32, ptr %a
  %y = add i32 %x, 1
  store i32 %y, ptr %a
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %n
  br i1 %last, label %outer.end, label %loop
outer.end:
  %i.next = add i64 %i, 1
  %all = icmp eq i64 %i.next, %m
  br i1 %all, label %done, label %outer
done:
  ret void
}

; Loads of a parallel loop that give the same value in every iteration stand before it, and so do their checks, which
; are about all iterations.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare i32 @__taskrace_iteration(i64)

; A chain of them; the write may be anywhere, but comes after them.
; CHECK-LABEL: define void @chain(
; CHECK: %v = load ptr, ptr %closure
; CHECK: %b = load ptr, ptr %v
; CHECK: call void @__taskrace_loop_read(ptr %closure, i64 8, i64 1, i64 0, ptr null, i64 0, i64 %begin, i64 %[[COUNT:.*]])
; CHECK: call void @__taskrace_loop_read(ptr %v, i64 8, i64 1, i64 0, ptr null, i64 0, i64 %begin, i64 %[[COUNT]])
; CHECK: call void @__taskrace_loop_write(ptr %{{.*}}, i64 1, i64 1, i64 0, ptr null, i64 1, i64 %begin, i64 %[[COUNT]])
; CHECK-NOT: call {{void|i32}} @__taskrace_
; CHECK: loop:
; CHECK-NOT: load
; CHECK: {{^}}}
define void @chain(ptr %closure, i64 %begin, i64 %end) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %k = phi i64 [ %begin, %entry ], [ %next, %body ]
  %mark = call i32 @__taskrace_iteration(i64 %k)
  %stop = icmp eq i32 %mark, 0
  br i1 %stop, label %done, label %body
body:
  %v = load ptr, ptr %closure
  %b = load ptr, ptr %v
  %p = getelementptr i8, ptr %b, i64 %k
  store i8 1, ptr %p
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; The write is an atomic one.
; CHECK-LABEL: define void @before_an_atomic_update(
; CHECK: %b = load ptr, ptr %closure
; CHECK: call void @__taskrace_loop_read(ptr %closure, i64 8, i64 1, i64 0, ptr null, i64 0, i64 %begin, i64 %{{.*}})
; CHECK: body:
; CHECK-NOT: load
; CHECK: call void @__taskrace_atomic_write(ptr %p, i64 8)
; CHECK: {{^}}}
define void @before_an_atomic_update(ptr %closure, i64 %begin, i64 %end) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %k = phi i64 [ %begin, %entry ], [ %next, %body ]
  %mark = call i32 @__taskrace_iteration(i64 %k)
  %stop = icmp eq i32 %mark, 0
  br i1 %stop, label %done, label %body
body:
  %b = load ptr, ptr %closure
  %square = mul i64 %k, %k
  %p = getelementptr i64, ptr %b, i64 %square
  %old = atomicrmw add ptr %p, i64 1 monotonic
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; A write before it may change it, in a loop of one iteration without any race.
; CHECK-LABEL: define void @after_a_write(
; CHECK: body:
; CHECK: %b = load ptr, ptr %closure
; CHECK: call void @__taskrace_write1(ptr %p)
; CHECK: {{^}}}
define void @after_a_write(ptr %closure, ptr %a, i64 %begin, i64 %end) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %k = phi i64 [ %begin, %entry ], [ %next, %body ]
  %mark = call i32 @__taskrace_iteration(i64 %k)
  %stop = icmp eq i32 %mark, 0
  br i1 %stop, label %done, label %body
body:
  %q = getelementptr i8, ptr %a, i64 %k
  store i8 1, ptr %q
  %b = load ptr, ptr %closure
  %p = getelementptr i8, ptr %b, i64 %k
  store i8 1, ptr %p
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; A sum is computed as it would be without detection.
; CHECK-LABEL: define void @sum(
; CHECK: loop:
; CHECK: %old = load i64, ptr %sum
; CHECK: {{^}}}
define void @sum(ptr %sum, i64 %begin, i64 %end) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %k = phi i64 [ %begin, %entry ], [ %next, %body ]
  %mark = call i32 @__taskrace_iteration(i64 %k)
  %stop = icmp eq i32 %mark, 0
  br i1 %stop, label %done, label %body
body:
  %old = load i64, ptr %sum
  %new = add i64 %old, %k
  store i64 %new, ptr %sum
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; What is not checked reports no race: it stays where something may write it. (So the private sums of a part.)
; CHECK-LABEL: define void @unchecked(
; CHECK: loop:
; CHECK: %b = load ptr, ptr %table
; CHECK: {{^}}}
define void @unchecked(ptr %table, i64 %begin, i64 %end) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %k = phi i64 [ %begin, %entry ], [ %next, %body ]
  %mark = call i32 @__taskrace_iteration(i64 %k)
  %stop = icmp eq i32 %mark, 0
  br i1 %stop, label %done, label %body
body:
  %b = load ptr, ptr %table, !nosanitize !0
  %p = getelementptr i8, ptr %b, i64 %k
  store i8 1, ptr %p
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; Volatile ones stay, and so do those that not every iteration makes, and those after an acquire.
; CHECK-LABEL: define void @others(
; CHECK: loop:
; CHECK: load volatile i64, ptr %a
; CHECK: load atomic i64, ptr %flag acquire
; CHECK: load i64, ptr %b
; CHECK: sometimes:
; CHECK: load i64, ptr %c
; CHECK: {{^}}}
define void @others(ptr %a, ptr %b, ptr %c, ptr %flag, ptr noalias %out, i64 %begin, i64 %end) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %k = phi i64 [ %begin, %entry ], [ %next, %latch ]
  %mark = call i32 @__taskrace_iteration(i64 %k)
  %stop = icmp eq i32 %mark, 0
  br i1 %stop, label %done, label %body
body:
  %x = load volatile i64, ptr %a
  %f = load atomic i64, ptr %flag acquire, align 8
  %y = load i64, ptr %b
  %odd = trunc i64 %k to i1
  br i1 %odd, label %sometimes, label %latch
sometimes:
  %z = load i64, ptr %c
  store i64 %z, ptr %out
  br label %latch
latch:
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; Under a condition that is the same in all iterations it is made before the loop, under this condition.
; CHECK-LABEL: define void @under_a_condition(
; CHECK: %n = load i64, ptr %closure
; CHECK: br i1 %{{.*}}, label %[[THEN:.*]], label %[[TAIL:.*]]
; CHECK: [[THEN]]:
; CHECK: %b = load ptr, ptr %field
; CHECK: [[TAIL]]:
; CHECK: %[[B:.*]] = phi ptr [ %b, %[[THEN]] ], [ null,
; CHECK: select i1
; CHECK: call void @__taskrace_loop_read(ptr %field, i64 8,
; CHECK: {{^}}}
define void @under_a_condition(ptr %closure, i64 %begin, i64 %end) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %k = phi i64 [ %begin, %entry ], [ %next, %latch ]
  %mark = call i32 @__taskrace_iteration(i64 %k)
  %stop = icmp eq i32 %mark, 0
  br i1 %stop, label %done, label %body
body:
  %n = load i64, ptr %closure
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %then, label %latch
then:
  %field = getelementptr i8, ptr %closure, i64 8
  %b = load ptr, ptr %field
  %p = getelementptr i8, ptr %b, i64 %k
  store i8 1, ptr %p
  br label %latch
latch:
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

!0 = !{}

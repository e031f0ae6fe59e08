; A pointer that is loaded again in every iteration, because a write in the loop might change it, most likely
; does not change: while the address goes on in the same steps, the loop only counts.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

; One check when the steps change, one when the loop is left; none on the way.
; CHECK-LABEL: define void @steps(
; CHECK: loop:
; CHECK: %[[DISTANCE:.*]] = phi i64 [ 0, %entry ]
; CHECK: %[[COUNT:.*]] = phi i64 [ 0, %entry ]
; CHECK: %[[LAST:.*]] = phi ptr [ null, %entry ]
; CHECK: %[[FIRST:.*]] = phi ptr [ null, %entry ]
; CHECK: %[[STEP:.*]] = sub i64
; CHECK: %[[BREAKS:.*]] = icmp ne i64 %[[STEP]], %[[DISTANCE]]
; CHECK: br i1 %[[BREAKS]], {{.*}}, !prof
; CHECK: icmp eq i64 %[[COUNT]], 1
; CHECK: call void @__taskrace_read_rows(ptr %[[FIRST]], i64 8, i64 %[[COUNT]], i64 %[[DISTANCE]])
; CHECK: done:
; CHECK: call void @__taskrace_read_rows(
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
define void @steps(ptr %table, ptr %out, i64 %n) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %base = load ptr, ptr %table
  %p = getelementptr [16 x i8], ptr %base, i64 %i
  %x = load i64, ptr %p
  %q = getelementptr i64, ptr %out, i64 %i
  store i64 %x, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; If it is expected to stay where it is, it is checked when it is another one.
; CHECK-LABEL: define void @in_place(
; CHECK: loop:
; CHECK: %[[LAST:.*]] = phi ptr
; CHECK: %[[MOVES:.*]] = icmp ne ptr {{.*}}, %[[LAST]]
; CHECK: br i1 %[[MOVES]], {{.*}}, !prof
; CHECK: call void @__taskrace_read8(
; CHECK: done:
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
define void @in_place(ptr %table, ptr %out, i64 %n) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %base = load ptr, ptr %table
  %x = load i64, ptr %base
  %q = getelementptr i64, ptr %out, i64 %i
  store i64 %x, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Nothing is expected of an index that comes from memory, nor can a check wait in a loop with a barrier.
; CHECK-LABEL: define void @scattered(
; CHECK: loop:
; CHECK-NOT: br
; CHECK: call void @__taskrace_read8(ptr %p)
define void @scattered(ptr %index, ptr %in, ptr %out, i64 %n) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i64, ptr %index, i64 %i
  %k = load i64, ptr %at
  %p = getelementptr i64, ptr %in, i64 %k
  %x = load i64, ptr %p
  %q = getelementptr i64, ptr %out, i64 %i
  store i64 %x, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
declare void @anything()
; CHECK-LABEL: define void @barrier(
; CHECK: loop:
; CHECK-NOT: br
; CHECK: call void @__taskrace_read8(ptr %p)
define void @barrier(ptr %table, i64 %n) sanitize_thread mustprogress {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %base = load ptr, ptr %table
  %p = getelementptr [16 x i8], ptr %base, i64 %i
  %x = load i64, ptr %p
  call void @anything()
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

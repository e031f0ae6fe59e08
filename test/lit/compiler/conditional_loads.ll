; LICM reads no variable before a loop that may not read it; and what it does otherwise it still does.
; RUN: %opt -passes='function(loop-mssa(licm))' -S %s | %FileCheck %s

target triple = "x86_64-unknown-linux-gnu"
@hits = global i32 0
declare i1 @holds(i64) nounwind willreturn memory(none)

; CHECK-LABEL: define void @under_a_condition(
; CHECK: entry:
; CHECK-NOT: load
; CHECK: then:
; CHECK-NEXT: load i32, ptr @hits
; CHECK-NEXT: add
; CHECK-NEXT: store i32 {{.*}}, ptr @hits
define void @under_a_condition(i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %c = call i1 @holds(i64 %i)
  br i1 %c, label %then, label %latch
then:
  %old = load i32, ptr @hits, align 4
  %new = add i32 %old, 1
  store i32 %new, ptr @hits, align 4
  br label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Every iteration reads it: once before the loop is enough.
; CHECK-LABEL: define void @always_read(
; CHECK: entry:
; CHECK-NEXT: load i32, ptr @hits
; CHECK: loop:
; CHECK-NOT: load
; CHECK: ret void
define void @always_read(i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %old = load i32, ptr @hits, align 4
  %c = icmp slt i32 %old, 7
  br i1 %c, label %then, label %latch
then:
  %new = add i32 %old, 1
  store i32 %new, ptr @hits, align 4
  br label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Not to be instrumented: as LLVM likes it.
; CHECK-LABEL: define void @not_checked(
; CHECK: entry:
; CHECK-NEXT: load i32, ptr @hits
define void @not_checked(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %c = call i1 @holds(i64 %i)
  br i1 %c, label %then, label %latch
then:
  %old = load i32, ptr @hits, align 4
  %new = add i32 %old, 1
  store i32 %new, ptr @hits, align 4
  br label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
; CHECK-NOT: volatile

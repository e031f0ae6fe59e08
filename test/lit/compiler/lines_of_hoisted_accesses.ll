; What LICM moves out of a loop keeps its line, and what it makes anew has that of an access of the same
; variable.
; RUN: %opt -passes='function(loop-mssa(licm))' -S %s | %FileCheck %s

target triple = "x86_64-unknown-linux-gnu"
@scale = global i32 3
@total = global i32 0
declare i64 @strlen(ptr) nounwind willreturn memory(argmem: read)

; Out of both loops: the lines are kept each time.
; CHECK-LABEL: define void @nested(
; CHECK: entry:
; CHECK-NEXT: %scale = load i32, ptr @scale, {{.*}}!dbg ![[NESTED:[0-9]+]]
define void @nested(ptr noalias %p, i64 %n) sanitize_thread !dbg !10 {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %scale = load i32, ptr @scale, align 4, !dbg !11
  %at = getelementptr i32, ptr %p, i64 %j
  %old = load i32, ptr %at, align 4, !dbg !12
  %new = mul i32 %old, %scale
  store i32 %new, ptr %at, align 4, !dbg !12
  %j.next = add nuw nsw i64 %j, 1
  %inner.more = icmp slt i64 %j.next, %n
  br i1 %inner.more, label %inner, label %outer.latch
outer.latch:
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %outer, label %end
end:
  ret void
}

; The variable is in a register in the loop. Its first read and its first write lend their lines, the
; latter because the lines of the two writes differ.
; CHECK-LABEL: define void @promoted(
; CHECK: entry:
; CHECK-NEXT: load i32, ptr @total, {{.*}}!dbg ![[READ:[0-9]+]]
; CHECK: end:
; CHECK: store i32 {{.*}}, ptr @total, {{.*}}!dbg ![[WRITTEN:[0-9]+]]
define void @promoted(i64 %n) sanitize_thread !dbg !20 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %old = load i32, ptr @total, align 4, !dbg !21
  %new = mul i32 %old, 3
  store i32 %new, ptr @total, align 4, !dbg !22
  %odd = trunc i64 %i to i1
  br i1 %odd, label %more, label %latch
more:
  %newer = add i32 %new, 1
  store i32 %newer, ptr @total, align 4, !dbg !23
  br label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %goes.on = icmp slt i64 %i.next, %n
  br i1 %goes.on, label %loop, label %end
end:
  ret void
}

; A library function reads as well.
; CHECK-LABEL: define i64 @called(
; CHECK: entry:
; CHECK-NEXT: call i64 @strlen(ptr %s){{.*}}, !dbg ![[CALLED:[0-9]+]]
define i64 @called(ptr %s, i64 %n) sanitize_thread !dbg !30 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %length = call i64 @strlen(ptr %s), !dbg !31
  %sum.next = mul i64 %sum, %length
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  ret i64 %sum.next
}

; What only the end of the loop needs is moved there.
; CHECK-LABEL: define i32 @sunk(
; CHECK: end:
; CHECK-NEXT: load i32, ptr @scale, {{.*}}!dbg ![[SUNK:[0-9]+]]
define i32 @sunk(i64 %n) sanitize_thread !dbg !40 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %scale = load i32, ptr @scale, align 4, !dbg !41
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %scale
}

; Where nothing is checked, LLVM does as it likes.
; CHECK-LABEL: define i32 @not_instrumented(
; CHECK: entry:
; CHECK-NEXT: %scale = load i32, ptr @scale, align 4{{$}}
define i32 @not_instrumented(i64 %n) !dbg !50 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %product = phi i32 [ 1, %entry ], [ %product.next, %loop ]
  %scale = load i32, ptr @scale, align 4, !dbg !51
  %product.next = mul i32 %product, %scale
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %product.next
}

; CHECK-DAG: ![[NESTED]] = !DILocation(line: 11,
; CHECK-DAG: ![[READ]] = !DILocation(line: 21,
; CHECK-DAG: ![[WRITTEN]] = !DILocation(line: 22,
; CHECK-DAG: ![[CALLED]] = !DILocation(line: 31,
; CHECK-DAG: ![[SUNK]] = !DILocation(line: 41,

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{null}
!10 = distinct !DISubprogram(name: "nested", file: !1, line: 10, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!11 = !DILocation(line: 11, column: 7, scope: !10)
!12 = !DILocation(line: 12, column: 7, scope: !10)
!20 = distinct !DISubprogram(name: "promoted", file: !1, line: 20, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!21 = !DILocation(line: 21, column: 7, scope: !20)
!22 = !DILocation(line: 22, column: 7, scope: !20)
!23 = !DILocation(line: 23, column: 7, scope: !20)
!30 = distinct !DISubprogram(name: "called", file: !1, line: 30, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!31 = !DILocation(line: 31, column: 7, scope: !30)
!40 = distinct !DISubprogram(name: "sunk", file: !1, line: 40, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!41 = !DILocation(line: 41, column: 7, scope: !40)
!50 = distinct !DISubprogram(name: "not_instrumented", file: !1, line: 50, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!51 = !DILocation(line: 51, column: 7, scope: !50)

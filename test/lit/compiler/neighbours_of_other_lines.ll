; A hook has one line. What lies side by side but stands at different lines, or was inlined at different
; places, is one check that names a function with the lines: one call a line, of the same source function.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

; CHECK-LABEL: define void @f(
; CHECK: call void @__taskrace_write_parts(ptr %p, i64 16, i64 1, i64 1, ptr @f.parts) {{.*}}!dbg ![[HERE:[0-9]+]]
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void

; A loop that moves on by less than a row is better off with two ranges.
; CHECK-LABEL: define void @overlapping(
; CHECK: call void @__taskrace_read_range(
; CHECK: call void @__taskrace_read_range(
; CHECK: loop:
; CHECK-NOT: call void @__taskrace_

; Else there are rows of both, also where there is no gap between them.
; CHECK-LABEL: define void @side_by_side(
; CHECK: call void @__taskrace_read_parts(ptr %p, i64 8, i64 100, i64 8, ptr @[[ROWS:.*]])
; CHECK: loop:
; CHECK-NOT: call void @__taskrace_

; Few of them are listed one by one, with what comes after the loop.
; CHECK-LABEL: define void @few_side_by_side(
; CHECK: call void @__taskrace_read_parts(ptr %p, i64 84, i64 1, i64 1, ptr @[[FEW:.*]])
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void

; CHECK: define internal void @f.parts(ptr %0, ptr %1, ptr %2) #[[COLD:[0-9]+]] !dbg ![[COPY:[0-9]+]]
; CHECK: call void %2(ptr %1, ptr %{{.*}}, i64 8), !dbg ![[FIRST:[0-9]+]]
; CHECK: getelementptr i8, ptr %0, i64 8
; CHECK: call void %2(ptr %1, ptr %{{.*}}, i64 4), !dbg ![[SECOND:[0-9]+]]
; CHECK: getelementptr i8, ptr %0, i64 12
; CHECK: call void %2(ptr %1, ptr %{{.*}}, i64 4), !dbg ![[THIRD:[0-9]+]]
; CHECK: define internal void @[[ROWS]](
; CHECK: define internal void @[[FEW]](
; CHECK-COUNT-21: call void %2(

; CHECK-DAG: attributes #[[COLD]] = { cold disable_sanitizer_instrumentation noinline nounwind
; CHECK-DAG: ![[COPY]] = distinct !DISubprogram(name: "f"
; CHECK-DAG: ![[FIRST]] = !DILocation(line: 12, column: 7, scope: ![[COPY]])
; CHECK-DAG: ![[SECOND]] = !DILocation(line: 13, column: 7, scope: ![[COPY]])
; CHECK-DAG: ![[THIRD]] = distinct !DILocation(line: 12, column: 7, scope: !{{.*}}, inlinedAt: ![[CALL:[0-9]+]]
; CHECK-DAG: ![[CALL]] = !DILocation(line: 20, column: 3, scope: ![[COPY]])
define void @f(ptr %p) sanitize_thread !dbg !3 {
  store i32 1, ptr %p, !dbg !5
  %b = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %b, !dbg !7
  %c = getelementptr i8, ptr %p, i64 8
  store i32 1, ptr %c, !dbg !8
  %d = getelementptr i8, ptr %p, i64 12
  store i32 1, ptr %d, !dbg !9
  ret void, !dbg !5
}
define void @overlapping(ptr %p, i64 %n) sanitize_thread !dbg !11 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr i32, ptr %p, i64 %i
  %x = load i32, ptr %a, !dbg !12
  %b = getelementptr i8, ptr %a, i64 4
  %y = load i32, ptr %b, !dbg !13
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
define void @side_by_side(ptr %p) sanitize_thread !dbg !14 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr i64, ptr %p, i64 %i
  %x = load i32, ptr %a, !dbg !15
  %b = getelementptr i8, ptr %a, i64 4
  %y = load i32, ptr %b, !dbg !16
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 100
  br i1 %more, label %loop, label %done
done:
  ret void
}
define void @few_side_by_side(ptr %p) sanitize_thread mustprogress !dbg !17 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr i64, ptr %p, i64 %i
  %x = load i32, ptr %a, !dbg !18
  %b = getelementptr i8, ptr %a, i64 4
  %y = load i32, ptr %b, !dbg !19
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %done
done:
  %c = getelementptr i8, ptr %p, i64 80
  %z = load i32, ptr %c, !dbg !20
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "f", file: !1, line: 10, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !6)
!5 = !DILocation(line: 12, column: 7, scope: !3)
!6 = !{null}
!7 = !DILocation(line: 12, column: 15, scope: !3)
!8 = !DILocation(line: 13, column: 7, scope: !3)
!9 = !DILocation(line: 12, column: 7, scope: !3, inlinedAt: !10)
!10 = distinct !DILocation(line: 20, column: 3, scope: !3)
!11 = distinct !DISubprogram(name: "overlapping", file: !1, line: 30, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!12 = !DILocation(line: 31, column: 7, scope: !11)
!13 = !DILocation(line: 32, column: 7, scope: !11)
!14 = distinct !DISubprogram(name: "side_by_side", file: !1, line: 40, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!15 = !DILocation(line: 41, column: 7, scope: !14)
!16 = !DILocation(line: 42, column: 7, scope: !14)
!17 = distinct !DISubprogram(name: "few_side_by_side", file: !1, line: 50, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!18 = !DILocation(line: 51, column: 7, scope: !17)
!19 = !DILocation(line: 52, column: 7, scope: !17)
!20 = !DILocation(line: 53, column: 7, scope: !17)

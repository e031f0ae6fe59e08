; A hook has one line: what stands at different lines, or was inlined at different places, is not merged.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

; CHECK-LABEL: define void @f(
; CHECK: call void @__taskrace_write8(ptr %p) {{.*}}!dbg ![[FIRST:[0-9]+]]
; CHECK: call void @__taskrace_write4(ptr %c) {{.*}}!dbg ![[SECOND:[0-9]+]]
; CHECK: call void @__taskrace_write4(ptr %d) {{.*}}!dbg ![[THIRD:[0-9]+]]
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
; CHECK-DAG: ![[FIRST]] = !DILocation(line: 12, column: 7
; CHECK-DAG: ![[SECOND]] = !DILocation(line: 13, column: 7
; CHECK-DAG: ![[THIRD]] = !DILocation(line: 12, column: 7, scope: !{{.*}}, inlinedAt:
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

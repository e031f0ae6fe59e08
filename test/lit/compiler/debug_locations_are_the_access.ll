; A hook has the location of its access, or line 0 of the function if that has none.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

; CHECK: call void @__taskrace_write4(ptr %p) {{.*}}!dbg ![[AT:[0-9]+]]
; CHECK: call void @__taskrace_write8(ptr %q) {{.*}}!dbg ![[ZERO:[0-9]+]]
; CHECK-DAG: ![[AT]] = !DILocation(line: 12, column: 7
; CHECK-DAG: ![[ZERO]] = !DILocation(line: 0, scope:
define void @f(ptr %p, ptr %q) sanitize_thread !dbg !3 {
  store i32 1, ptr %p, !dbg !5
  store i64 1, ptr %q
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

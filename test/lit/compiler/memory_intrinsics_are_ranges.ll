; memcpy and its kin read and write ranges, the read first.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)
@table = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]

; CHECK-LABEL: define void @copies(
define void @copies(ptr %d, ptr %s, i64 %n, i32 %m) sanitize_thread {
; CHECK: call void @__taskrace_read_range(ptr %s, i64 %n)
; CHECK-NEXT: call void @__taskrace_write_range(ptr %d, i64 %n)
; CHECK-NEXT: call void @llvm.memcpy
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 %n, i1 false)
; CHECK: call void @__taskrace_read_range(ptr %s, i64 40)
; CHECK-NEXT: call void @__taskrace_write_range(ptr %d, i64 40)
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %d, ptr %s, i64 40, i1 false)
; CHECK: %[[M:.*]] = zext i32 %m to i64
; CHECK: call void @__taskrace_read_range(ptr %s, i64 %[[M]])
  call void @llvm.memmove.p0.p0.i32(ptr %d, ptr %s, i32 %m, i1 false)
; CHECK: call void @__taskrace_write8(ptr %d)
; CHECK-NEXT: call void @llvm.memset
  call void @llvm.memset.p0.i64(ptr %d, i8 0, i64 8, i1 true)
; CHECK: call void @__taskrace_read_range(ptr %s, i64 32)
; CHECK: call void @__taskrace_write_range(ptr %d, i64 32)
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %d, ptr align 4 %s, i64 32, i32 4)
; Reads of constants cannot race.
; CHECK-NOT: __taskrace_read
; CHECK: call void @__taskrace_write16(ptr %d)
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr @table, i64 16, i1 false)
; CHECK-NOT: __taskrace_{{read|write}}
; CHECK: ret void
  call void @llvm.memset.p0.i64(ptr %d, i8 0, i64 0, i1 false)
  ret void
}

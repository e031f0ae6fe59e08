; memcpy and its kin read and write ranges, the read first. They are dropped and merged like loads and
; stores.
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
  ret void
}

; What cannot be moved or dropped is checked where it is.
; CHECK-LABEL: define void @watched(
define void @watched(ptr %d, ptr %s) sanitize_thread {
; CHECK: call void @__taskrace_write8(ptr %d)
; CHECK-NEXT: call void @llvm.memset
  call void @llvm.memset.p0.i64(ptr %d, i8 0, i64 8, i1 true)
; CHECK: call void @__taskrace_read_range(ptr %s, i64 32)
; CHECK: call void @__taskrace_write_range(ptr %d, i64 32)
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %d, ptr align 4 %s, i64 32, i32 4)
  ret void
}

; Reads of constants cannot race.
; CHECK-LABEL: define void @constant(
define void @constant(ptr %d) sanitize_thread {
; CHECK-NOT: __taskrace_read
; CHECK: call void @__taskrace_write16(ptr %d)
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr @table, i64 16, i1 false)
; CHECK-NOT: __taskrace_{{read|write}}
; CHECK: ret void
  call void @llvm.memset.p0.i64(ptr %d, i8 0, i64 0, i1 false)
  ret void
}

; One range beside another is one check; what is covered is dropped.
; CHECK-LABEL: define void @neighbours(
define void @neighbours(ptr %d, ptr %s) sanitize_thread {
; CHECK: call void @__taskrace_read_range(ptr %s, i64 40)
; CHECK-NEXT: call void @__taskrace_write_range(ptr %d, i64 48)
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 40, i1 false)
  %after = getelementptr i8, ptr %d, i64 40
  store i64 1, ptr %after
  call void @llvm.memset.p0.i64(ptr %d, i8 0, i64 24, i1 false)
  ret void
}

; A range that moves by its own length leaves the loop.
; CHECK-LABEL: define void @rows(
define void @rows(ptr %d, i64 %n) sanitize_thread {
; CHECK: entry:
; CHECK: call void @__taskrace_write_range(ptr %d, i64
; CHECK: loop:
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %offset = mul nuw nsw i64 %i, 24
  %row = getelementptr i8, ptr %d, i64 %offset
  call void @llvm.memset.p0.i64(ptr %row, i8 0, i64 24, i1 false)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Under a mask only the active lanes are touched: the others get an empty range.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare <2 x i32> @llvm.masked.load.v2i32.p0(ptr, i32, <2 x i1>, <2 x i32>)
declare void @llvm.masked.store.v2i64.p0(<2 x i64>, ptr, i32, <2 x i1>)
declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x i32>)
declare void @llvm.masked.scatter.v2i32.v2p0(<2 x i32>, <2 x ptr>, i32, <2 x i1>)
declare void @llvm.masked.compressstore.v2i32(<2 x i32>, ptr, <2 x i1>)

; CHECK-LABEL: define void @lanes(
define void @lanes(ptr %p, <2 x ptr> %ps, <2 x i1> %mask) sanitize_thread {
; CHECK: %[[M0:.*]] = extractelement <2 x i1> %mask, i64 0
; CHECK: %[[S0:.*]] = select i1 %[[M0]], i64 4, i64 0
; CHECK: call void @__taskrace_read_range(ptr %p, i64 %[[S0]])
; CHECK: %[[P1:.*]] = getelementptr i32, ptr %p, i64 1
; CHECK: %[[M1:.*]] = extractelement <2 x i1> %mask, i64 1
; CHECK: %[[S1:.*]] = select i1 %[[M1]], i64 4, i64 0
; CHECK: call void @__taskrace_read_range(ptr %[[P1]], i64 %[[S1]])
; CHECK: call <2 x i32> @llvm.masked.load
  %a = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr %p, i32 4, <2 x i1> %mask, <2 x i32> poison)
; A lane that is known to be active has a hook of its size, one that is known not to be has none.
; CHECK-NOT: __taskrace_write
; CHECK: %[[Q1:.*]] = getelementptr i64, ptr %p, i64 1
; CHECK: call void @__taskrace_write8(ptr %[[Q1]])
; CHECK-NEXT: call void @llvm.masked.store
  call void @llvm.masked.store.v2i64.p0(<2 x i64> zeroinitializer, ptr %p, i32 8, <2 x i1> <i1 0, i1 1>)
; CHECK: %[[G0:.*]] = extractelement <2 x ptr> %ps, i64 0
; CHECK: call void @__taskrace_read_range(ptr %[[G0]], i64 %
; CHECK: %[[G1:.*]] = extractelement <2 x ptr> %ps, i64 1
; CHECK: call void @__taskrace_read_range(ptr %[[G1]], i64 %
  %b = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> %ps, i32 4, <2 x i1> %mask, <2 x i32> poison)
; CHECK: call void @__taskrace_write_range(
; CHECK: call void @__taskrace_write_range(
; CHECK: call void @llvm.masked.scatter
  call void @llvm.masked.scatter.v2i32.v2p0(<2 x i32> %b, <2 x ptr> %ps, i32 4, <2 x i1> %mask)
; CHECK: %[[W:.*]] = zext <2 x i1> %mask to <2 x i64>
; CHECK: %[[N:.*]] = call i64 @llvm.vector.reduce.add.v2i64(<2 x i64> %[[W]])
; CHECK: %[[B:.*]] = mul i64 %[[N]], 4
; CHECK: call void @__taskrace_write_range(ptr %p, i64 %[[B]])
  call void @llvm.masked.compressstore.v2i32(<2 x i32> %b, ptr %p, <2 x i1> %mask)
  ret void
}

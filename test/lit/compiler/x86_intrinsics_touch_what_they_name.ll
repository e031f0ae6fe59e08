; Intrinsics of x86 are checked by the lanes that their masks have: the highest bits of a vector, or the
; bits of an integer. Memory that cannot be shared is not checked, and does not escape.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare void @llvm.x86.avx.maskstore.pd(ptr, <2 x i64>, <2 x double>)
declare <2 x i64> @llvm.x86.avx2.maskload.q(ptr, <2 x i64>)
declare <4 x float> @llvm.x86.avx2.gather.q.ps(<4 x float>, ptr, <2 x i64>, <4 x float>, i8)
declare void @llvm.x86.avx512.mask.pmov.qw.mem.128(ptr, <2 x i64>, i8)
declare void @llvm.x86.sse2.clflush(ptr)

; CHECK-LABEL: define void @lanes(
define void @lanes(ptr %p, <2 x i64> %mask, <2 x double> %value) sanitize_thread {
; CHECK: %[[M:.*]] = icmp slt <2 x i64> %mask, zeroinitializer
; CHECK: %[[M0:.*]] = extractelement <2 x i1> %[[M]], i64 0
; CHECK: %[[S0:.*]] = select i1 %[[M0]], i64 8, i64 0
; CHECK: call void @__taskrace_write_range(ptr %p, i64 %[[S0]])
; CHECK: %[[P1:.*]] = getelementptr double, ptr %p, i64 1
; CHECK: call void @__taskrace_write_range(ptr %[[P1]], i64
; CHECK: call void @llvm.x86.avx.maskstore.pd
  call void @llvm.x86.avx.maskstore.pd(ptr %p, <2 x i64> %mask, <2 x double> %value)
  ret void
}

; Two indices: two lanes, though the result has four.
; CHECK-LABEL: define <4 x float> @indices(
define <4 x float> @indices(ptr %p, <2 x i64> %i, <4 x float> %mask) sanitize_thread {
; CHECK: bitcast <4 x float> %mask to <4 x i32>
; CHECK: %[[I0:.*]] = extractelement <2 x i64> %i, i64 0
; CHECK: %[[D0:.*]] = mul i64 %[[I0]], 4
; CHECK: %[[P0:.*]] = getelementptr i8, ptr %p, i64 %[[D0]]
; CHECK: call void @__taskrace_read_range(ptr %[[P0]],
; CHECK: call void @__taskrace_read_range(
; CHECK-NOT: call void @__taskrace_read
; CHECK: call <4 x float> @llvm.x86.avx2.gather.q.ps
  %r = call <4 x float> @llvm.x86.avx2.gather.q.ps(<4 x float> zeroinitializer, ptr %p, <2 x i64> %i, <4 x float> %mask, i8 4)
  ret <4 x float> %r
}

; CHECK-LABEL: define void @narrowed(
define void @narrowed(ptr %p, <2 x i64> %value, i8 %mask) sanitize_thread {
; CHECK: %[[B:.*]] = bitcast i8 %mask to <8 x i1>
; CHECK: %[[Q1:.*]] = getelementptr i16, ptr %p, i64 1
; CHECK-NEXT: %[[B1:.*]] = extractelement <8 x i1> %[[B]], i64 1
; CHECK-NEXT: %[[T1:.*]] = select i1 %[[B1]], i64 2, i64 0
; CHECK-NEXT: {{.*}}call void @__taskrace_write_range(ptr %[[Q1]], i64 %[[T1]])
; CHECK-NEXT: {{.*}}call void @llvm.x86.avx512.mask.pmov.qw.mem.128
  call void @llvm.x86.avx512.mask.pmov.qw.mem.128(ptr %p, <2 x i64> %value, i8 %mask)
  ret void
}

; CHECK-LABEL: define <2 x i64> @private(
; CHECK-NOT: call void @__taskrace_
; CHECK: ret
define <2 x i64> @private(<2 x i64> %mask) sanitize_thread {
  %x = alloca <2 x i64>
  store <2 x i64> %mask, ptr %x
  call void @llvm.x86.sse2.clflush(ptr %x)
  %r = call <2 x i64> @llvm.x86.avx2.maskload.q(ptr %x, <2 x i64> %mask)
  ret <2 x i64> %r
}

; A function that calls hooks touches their memory, so nobody may count on it being pure. What LLVM knows of
; library functions stays.
; RUN: %opt -passes=taskrace-calls -S %s | %FileCheck %s

; CHECK: define i32 @pure(ptr %p) #[[PURE:[0-9]+]]
define i32 @pure(ptr %p) memory(argmem: read) nounwind {
  %value = load i32, ptr %p
  ret i32 %value
}
; CHECK: declare i32 @elsewhere() #[[PURE]]
declare i32 @elsewhere() memory(none) nounwind
; CHECK: declare double @sin(double) #[[MATH:[0-9]+]]
declare double @sin(double) memory(none)
; CHECK: call i32 @elsewhere(){{$}}
define i32 @caller() {
  %value = call i32 @elsewhere() memory(none)
  ret i32 %value
}
; CHECK: attributes #[[PURE]] = { nounwind }
; CHECK: attributes #[[MATH]] = { memory(none) }

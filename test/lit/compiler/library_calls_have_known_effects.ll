; Functions of libc and libstdc++ that are not instrumented: what they touch is checked at the call, with the
; result where the size depends on it.
; RUN: %opt -passes=taskrace -S %s | %FileCheck %s

declare ptr @strcpy(ptr, ptr)
declare ptr @strcat(ptr, ptr)
declare i64 @strlen(ptr)
declare i64 @read(i32, ptr, i64)
declare i64 @fread(ptr, i64, i64, ptr)
declare ptr @fgets(ptr, i32, ptr)
declare ptr @memchr(ptr, i32, i64)
declare i32 @snprintf(ptr, i64, ptr, ...)
declare i64 @time(ptr)
declare void @qsort(ptr, i64, i64, ptr)
declare ptr @_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(ptr, ptr)
declare ptr @_ZNSolsEi(ptr, i32)
declare ptr @_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE(ptr, ptr)
declare i32 @__gxx_personality_v0(...)
@format = constant [13 x i8] c"%d %s %.4s%%\00"

; CHECK-LABEL: define void @strings(
define void @strings(ptr %d, ptr %s) sanitize_thread {
; CHECK: call void @__taskrace_read_string(ptr %s)
; CHECK-NEXT: %[[L:.*]] = call i64 @strlen(ptr %s)
; CHECK-NEXT: %[[N:.*]] = add i64 %[[L]], 1
; CHECK-NEXT: call void @__taskrace_write_range(ptr %d, i64 %[[N]])
; CHECK-NEXT: call ptr @strcpy
  call ptr @strcpy(ptr %d, ptr %s)
; CHECK: call void @__taskrace_read_string(ptr %s)
; CHECK-NEXT: call void @__taskrace_read_string(ptr %d)
; CHECK-NEXT: %[[L:.*]] = call i64 @strlen(ptr %d)
; CHECK-NEXT: %[[E:.*]] = getelementptr i8, ptr %d, i64 %[[L]]
; CHECK: call void @__taskrace_write_range(ptr %[[E]], i64 %
; CHECK-NEXT: call ptr @strcat
  call ptr @strcat(ptr %d, ptr %s)
; CHECK-NEXT: %length = call i64 @strlen(ptr %s)
; CHECK: call void @__taskrace_read_range(ptr %s, i64 %
  %length = call i64 @strlen(ptr %s)
; CHECK: %found = call ptr @memchr
; CHECK: %[[NONE:.*]] = icmp eq ptr %found, null
; CHECK: %[[N:.*]] = select i1 %[[NONE]], i64 7, i64 %
; CHECK: call void @__taskrace_read_range(ptr %s, i64 %[[N]])
  %found = call ptr @memchr(ptr %s, i32 0, i64 7)
  ret void
}

; CHECK-LABEL: define void @input(
define void @input(ptr %p, ptr %file) sanitize_thread {
; CHECK: %got = call i64 @read
; CHECK-NEXT: %[[FAILED:.*]] = icmp slt i64 %got, 0
; CHECK-NEXT: %[[N:.*]] = select i1 %[[FAILED]], i64 0, i64 %got
; CHECK-NEXT: call void @__taskrace_write_range(ptr %p, i64 %[[N]])
  %got = call i64 @read(i32 0, ptr %p, i64 100)
; CHECK: %items = call i64 @fread
; CHECK: %[[N:.*]] = mul i64 %{{.*}}, 8
; CHECK-NEXT: call void @__taskrace_write_range(ptr %p, i64 %[[N]])
  %items = call i64 @fread(ptr %p, i64 8, i64 5, ptr %file)
; CHECK: %line = call ptr @fgets
; CHECK: call i64 @strlen(
; CHECK: call void @__taskrace_write_range(ptr %p, i64 %
  %line = call ptr @fgets(ptr %p, i32 100, ptr %file)
  ret void
}

; CHECK-LABEL: define void @formats(
define void @formats(ptr %p, ptr %s, ptr %t, i64 %n) sanitize_thread {
; CHECK: call void @__taskrace_read_string(ptr %s)
; CHECK-NEXT: call void @__taskrace_read_string_n(ptr %t, i64 4)
; CHECK-NEXT: %printed = call i32 (ptr, i64, ptr, ...) @snprintf
; CHECK: %[[N:.*]] = call i64 @llvm.umin.i64(i64 %{{.*}}, i64 %n)
; CHECK: call void @__taskrace_write_range(ptr %p, i64 %[[N]])
  %printed = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %p, i64 %n, ptr @format, i32 1, ptr %s, ptr %t)
  ret void
}

; CHECK-LABEL: define void @others(
define void @others(ptr %p, i64 %n, ptr %compare) sanitize_thread {
; CHECK-NOT: __taskrace_write
; CHECK: call i64 @time(ptr null)
  call i64 @time(ptr null)
; CHECK: %[[NONE:.*]] = icmp eq ptr %p, null
; CHECK: %[[N:.*]] = select i1 %[[NONE]], i64 0, i64 8
; CHECK: call void @__taskrace_write_range(ptr %p, i64 %[[N]])
; CHECK-NEXT: call i64 @time(ptr %p)
  call i64 @time(ptr %p)
; CHECK: %[[N:.*]] = mul i64 %n, 4
; CHECK: call void @__taskrace_write_range(ptr %p, i64 %[[N]])
; CHECK-NEXT: call void @qsort
  call void @qsort(ptr %p, i64 %n, i64 4, ptr %compare)
  ret void
}

; A stream is written by every operation on it. After an invoke, the check is in the normal destination.
; CHECK-LABEL: define void @streams(
define void @streams(ptr %out, ptr %in, ptr %text, ptr %string) sanitize_thread personality ptr @__gxx_personality_v0 {
; CHECK: call void @__taskrace_write8(ptr %out)
; CHECK-NEXT: call void @__taskrace_read_string(ptr %text)
  call ptr @_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(ptr %out, ptr %text)
; CHECK: call void @__taskrace_write8(ptr %out)
; CHECK-NEXT: call ptr @_ZNSolsEi
  call ptr @_ZNSolsEi(ptr %out, i32 1)
; CHECK: call void @__taskrace_write8(ptr %in)
; CHECK-NEXT: invoke
  invoke ptr @_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE(ptr %in, ptr %string)
    to label %normal unwind label %unwind
; CHECK: normal:
; CHECK-NEXT: call void @__taskrace_write16(ptr %string)
; CHECK-NEXT: %[[C:.*]] = load ptr, ptr %string
; CHECK: call void @__taskrace_write_range(ptr %[[C]], i64 %
normal:
  ret void
unwind:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}

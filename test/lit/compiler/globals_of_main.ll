; A variable of the module that nothing but main loads and stores is one task's own.
; RUN: %split_file %s %t
; RUN: %opt -passes='taskrace-globals,function(taskrace)' -S %t/only_main.ll | %FileCheck %t/only_main.ll
; RUN: %opt -passes='taskrace-globals,function(taskrace)' -S %t/called.ll | %FileCheck %t/called.ll
; RUN: %opt -passes='taskrace-globals,function(taskrace)' -S %t/passed_on.ll | %FileCheck %t/passed_on.ll
; RUN: %opt -passes='taskrace-globals,function(taskrace)' -S %t/local.ll | %FileCheck %t/local.ll

;--- only_main.ll
@count = internal global i64 0
@table = private global [4 x i32] zeroinitializer
@of_others = internal global i64 0
@of_task = internal global i64 0
@initialised = internal global i64 0
@visible = global i64 0
@watched = internal global i64 0
@atomic = internal global i64 0
@passed = internal global i64 0
@stored = internal global i64 0
@pointer = internal global ptr @pointed_to
@pointed_to = internal global i64 0
@copied = internal global [4 x i64] zeroinitializer
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @initialise, ptr null }]
declare void @callee(ptr)
declare void @__taskrace_async(ptr, ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; CHECK-LABEL: define i32 @main(
; CHECK-NOT: call void @__taskrace_{{(read|write|atomic)}}
; CHECK: load i32, ptr %element
; CHECK-NEXT: call void @__taskrace_read8(ptr @of_others)
; CHECK: call void @__taskrace_write8(ptr @of_task)
; CHECK: call void @__taskrace_read8(ptr @initialised)
; CHECK: call void @__taskrace_write8(ptr @visible)
; CHECK: call void @__taskrace_write8(ptr @watched)
; CHECK: call void @__taskrace_atomic_write(ptr @atomic, i64 8)
; CHECK: call void @__taskrace_write8(ptr @passed)
; CHECK: call void @__taskrace_write8(ptr @stored)
; CHECK: call void @__taskrace_write8(ptr @pointed_to)
; CHECK: call void @__taskrace_write_range(ptr @copied
; CHECK: ret i32
define i32 @main(i64 %i, ptr %p) sanitize_thread {
  %old = load i64, ptr @count
  %new = add i64 %old, 1
  store i64 %new, ptr @count
  store i32 1, ptr getelementptr ([4 x i32], ptr @table, i64 0, i64 2)
  %element = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %value = load i32, ptr %element
  %b = load i64, ptr @of_others
  call void @callee(ptr null)
  store i64 1, ptr @of_task
  call void @__taskrace_async(ptr @task, ptr null)
  %d = load i64, ptr @initialised
  call void @callee(ptr null)
  store i64 1, ptr @visible
  call void @callee(ptr null)
  store volatile i64 1, ptr @watched
  store atomic i64 1, ptr @atomic seq_cst, align 8
  store i64 1, ptr @passed
  call void @callee(ptr @passed)
  store i64 1, ptr @stored
  store ptr @stored, ptr %p
  call void @callee(ptr null)
  store i64 1, ptr @pointed_to
  call void @callee(ptr @pointer)
  call void @llvm.memset.p0.i64(ptr @copied, i8 0, i64 32, i1 false)
  ret i32 %value
}
define void @other() sanitize_thread {
  store i64 1, ptr @of_others
  ret void
}
define internal void @task(ptr %closure) sanitize_thread {
  store i64 2, ptr @of_task
  ret void
}
define internal void @initialise() sanitize_thread {
  store i64 2, ptr @initialised
  ret void
}

;--- called.ll
@count = internal global i64 0
; CHECK-LABEL: define i32 @main(
; CHECK: call void @__taskrace_write8(ptr @count)
define i32 @main() sanitize_thread {
  store i64 1, ptr @count
  ret i32 0
}
define i32 @caller() sanitize_thread {
  %result = call i32 @main()
  ret i32 %result
}

;--- passed_on.ll
@count = internal global i64 0
declare void @callee(ptr)
; CHECK-LABEL: define i32 @main(
; CHECK: call void @__taskrace_write8(ptr @count)
define i32 @main() sanitize_thread {
  store i64 1, ptr @count
  call void @callee(ptr @main)
  ret i32 0
}

;--- local.ll
@count = internal global i64 0
; CHECK-LABEL: define internal i32 @main(
; CHECK: call void @__taskrace_write8(ptr @count)
define internal i32 @main() sanitize_thread {
  store i64 1, ptr @count
  ret i32 0
}

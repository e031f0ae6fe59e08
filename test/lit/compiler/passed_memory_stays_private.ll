; A variable that is passed only to functions that keep it is touched by one task alone: it has no
; checks, and where no hook hears of it no lifetime either.
; RUN: %opt -passes='taskrace-passed,function(taskrace)' -S %s | %FileCheck %s

@somewhere = global ptr null
declare void @outside(ptr nocapture)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
declare i32 @setjmp(ptr) returns_twice
declare void @longjmp(ptr, i32) noreturn
declare i32 @__gxx_personality_v0(...)

; All its calls are here, and each passes a variable of its own.
; CHECK-LABEL: define internal void @fills(ptr {{.*}}"taskrace-private"
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
define internal void @fills(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  ret void
}
; An inline function becomes local, for other modules may pass anything to theirs.
; CHECK-LABEL: define internal i32 @looks_inline(ptr {{.*}}"taskrace-private"
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i32
define linkonce_odr i32 @looks_inline(ptr %p) sanitize_thread {
  %a = load i32, ptr %p
  call void @fills(ptr %p)
  ret i32 %a
}
; CHECK-LABEL: define i32 @passes_on(
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i32
define i32 @passes_on() sanitize_thread {
  %x = alloca i32
  call void @llvm.lifetime.start.p0(i64 4, ptr %x)
  store i32 0, ptr %x
  call void @fills(ptr %x)
  %a = call i32 @looks_inline(ptr %x)
  %b = load i32, ptr %x
  call void @llvm.lifetime.end.p0(i64 4, ptr %x)
  ret i32 %b
}

; Others may call it: its own access has a hook, which hears of the variable of whoever calls it.
; CHECK-LABEL: define void @known_outside(ptr {{.*}}"taskrace-kept"
; CHECK-NOT: "taskrace-private"
; CHECK: call void @__taskrace_write4(ptr %p)
define void @known_outside(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define i32 @passes_to_one_known_outside(
; CHECK: call void @__taskrace_lifetime_start(ptr %x, i64 4
; CHECK-NOT: call void @__taskrace_{{read|write}}
; CHECK: call void @__taskrace_lifetime_end(ptr %x, i64 4)
; CHECK: ret i32
define i32 @passes_to_one_known_outside() sanitize_thread {
  %x = alloca i32
  call void @llvm.lifetime.start.p0(i64 4, ptr %x)
  store i32 0, ptr %x
  call void @known_outside(ptr %x)
  %b = load i32, ptr %x
  call void @llvm.lifetime.end.p0(i64 4, ptr %x)
  ret i32 %b
}
; So it is with one that passes it on to such a function.
; CHECK-LABEL: define internal void @shows(ptr
; CHECK-NOT: "taskrace-unseen"
; CHECK-NOT: call void @__taskrace_
; CHECK: ret void
define internal void @shows(ptr %p) sanitize_thread {
  store i32 2, ptr %p
  call void @known_outside(ptr %p)
  ret void
}
; CHECK-LABEL: define void @passes_to_one_that_shows(
; CHECK: call void @__taskrace_lifetime_start(ptr %x, i64 4
; CHECK: call void @shows(
; CHECK: call void @__taskrace_lifetime_end(ptr %x, i64 4)
define void @passes_to_one_that_shows() sanitize_thread {
  %x = alloca i32
  call void @shows(ptr %x)
  ret void
}

; Without hooks, whoever calls it.
; CHECK-LABEL: define void @not_instrumented(ptr {{.*}}"taskrace-unseen"
define void @not_instrumented(ptr %p) {
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define i32 @passes_to_one_without_hooks(
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i32
define i32 @passes_to_one_without_hooks() sanitize_thread {
  %x = alloca i32
  call void @not_instrumented(ptr %x)
  %b = load i32, ptr %x
  ret i32 %b
}

; One call that passes something else is enough.
; CHECK-LABEL: define internal void @fills_anything(ptr
; CHECK-NOT: "taskrace-private"
; CHECK: call void @__taskrace_write4(ptr %p)
define internal void @fills_anything(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define void @passes_what_it_got(
define void @passes_what_it_got(ptr %p) sanitize_thread {
  %x = alloca i32
  call void @fills_anything(ptr %x)
  call void @fills_anything(ptr %p)
  ret void
}

; They let the address go: into memory, to an unknown function, to the caller, into an exception's
; or anybody's integer, to a function whose address is taken and that anybody may call.
; CHECK-LABEL: define internal void @stores_it(ptr %p)
define internal void @stores_it(ptr %p) sanitize_thread {
  store ptr %p, ptr @somewhere
  ret void
}
; CHECK-LABEL: define internal void @calls_outside(ptr %p)
define internal void @calls_outside(ptr %p) sanitize_thread {
  call void @outside(ptr %p)
  ret void
}
; CHECK-LABEL: define internal ptr @returns_it(ptr %p)
define internal ptr @returns_it(ptr %p) sanitize_thread {
  ret ptr %p
}
; CHECK-LABEL: define internal i64 @as_integer(ptr %p)
define internal i64 @as_integer(ptr %p) sanitize_thread {
  %i = ptrtoint ptr %p to i64
  ret i64 %i
}
; CHECK-LABEL: define weak void @may_be_replaced(ptr %p)
define weak void @may_be_replaced(ptr %p) sanitize_thread {
  ret void
}
; CHECK-LABEL: define void @lets_it_go(
; CHECK-COUNT-5: call void @__taskrace_lifetime_start(
; CHECK-COUNT-5: call void @__taskrace_write4(
; CHECK-COUNT-5: call void @__taskrace_lifetime_end(
define void @lets_it_go() sanitize_thread {
  %a = alloca i32
  %b = alloca i32
  %c = alloca i32
  %d = alloca i32
  %e = alloca i32
  store i32 0, ptr %a
  store i32 0, ptr %b
  store i32 0, ptr %c
  store i32 0, ptr %d
  store i32 0, ptr %e
  call void @stores_it(ptr %a)
  call void @calls_outside(ptr %b)
  %p = call ptr @returns_it(ptr %c)
  %i = call i64 @as_integer(ptr %d)
  call void @may_be_replaced(ptr %e)
  ret void
}
; CHECK-LABEL: define internal void @address_taken(ptr
; CHECK-NOT: "taskrace-private"
; CHECK: call void @__taskrace_write4(ptr %p)
define internal void @address_taken(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define void @takes_it(
define void @takes_it() sanitize_thread {
  %x = alloca i32
  store ptr @address_taken, ptr @somewhere
  call void @address_taken(ptr %x)
  ret void
}

; Recursion: the variable of a call below is another one, of the same task.
; CHECK-LABEL: define internal i32 @descends(ptr {{.*}}"taskrace-private"
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i32
define internal i32 @descends(ptr %p, i32 %n) sanitize_thread {
entry:
  %x = alloca i32
  store i32 %n, ptr %x
  %more = icmp ne i32 %n, 0
  br i1 %more, label %down, label %end
down:
  %less = sub i32 %n, 1
  %b = call i32 @descends(ptr %x, i32 %less)
  br label %end
end:
  %a = load i32, ptr %p
  ret i32 %a
}
; Of two that call each other, the one that lets it go spoils both.
; CHECK-LABEL: define internal void @ping(ptr %p,
define internal void @ping(ptr %p, i32 %n) sanitize_thread {
  call void @pong(ptr %p, i32 %n)
  ret void
}
; CHECK-LABEL: define internal void @pong(ptr %p,
define internal void @pong(ptr %p, i32 %n) sanitize_thread {
  call void @ping(ptr %p, i32 %n)
  call void @outside(ptr %p)
  ret void
}
; CHECK-LABEL: define void @starts_descending(
; CHECK: call void @__taskrace_lifetime_start(ptr %y
; CHECK-NOT: call void @__taskrace_lifetime_start(ptr %x
define void @starts_descending() sanitize_thread {
  %x = alloca i32
  %y = alloca i32
  store i32 0, ptr %x
  %a = call i32 @descends(ptr %x, i32 9)
  call void @ping(ptr %y, i32 9)
  ret void
}

; Exceptions and longjmp leave calls, but not the task.
; CHECK-LABEL: define i32 @catches(
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i32
define i32 @catches() sanitize_thread personality ptr @__gxx_personality_v0 {
  %x = alloca i32
  store i32 0, ptr %x
  invoke void @fills(ptr %x) to label %end unwind label %pad
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  br label %end
end:
  %a = load i32, ptr %x
  ret i32 %a
}
; The buffer itself goes outside.
; CHECK-LABEL: define i32 @comes_back(
; CHECK: call void @__taskrace_lifetime_start(ptr %buffer
; CHECK-NOT: ptr %x
; CHECK: store i32 0, ptr %x
define i32 @comes_back() sanitize_thread {
  %x = alloca i32
  %buffer = alloca [25 x i64]
  store i32 0, ptr %x
  %again = call i32 @setjmp(ptr %buffer) returns_twice
  call void @fills(ptr %x)
  %a = load i32, ptr %x
  ret i32 %a
}
; A volatile access is checked where memory can be shared, and this cannot.
; CHECK-LABEL: define i32 @is_volatile(
; CHECK-NOT: call void @__taskrace_
; CHECK: ret i32
define i32 @is_volatile() sanitize_thread {
  %x = alloca i32
  store volatile i32 0, ptr %x
  call void @fills(ptr %x)
  %a = load volatile i32, ptr %x
  ret i32 %a
}
; Mixed with what it got: the variable is shared as far as one can tell.
; CHECK-LABEL: define void @mixes(
; CHECK: call void @__taskrace_lifetime_start(ptr %x
; CHECK: call void @__taskrace_write4(ptr %either)
define void @mixes(i1 %c, ptr %p) sanitize_thread {
  %x = alloca i32
  %either = select i1 %c, ptr %x, ptr %p
  store i32 1, ptr %either
  call void @known_outside(ptr %either)
  ret void
}

// The functions that a coroutine is split into have frames of their own, also at -O0 and with LTO: a
// frame of the whole would outlive its call.
// RUN: %clangxx -std=c++20 %instrument -O0 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clangxx -std=c++20 %instrument -O2 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clangxx -std=c++20 %instrument -O2 -flto=thin -S -emit-llvm %s -o - | %FileCheck %s
#include <coroutine>
int shared;
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
// CHECK: define {{.*}}@_Z6stridev.resume(
// CHECK: @llvm.returnaddress(i32 0)
// CHECK: call void @__taskrace_write4(ptr {{.*}}@shared)
Task stride() {
  co_await std::suspend_always{};
  shared = 1;
}

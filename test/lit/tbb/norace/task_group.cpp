// Groups: recursion, groups that are shared with children, handles, exceptions, cancellation; arenas, suspended tasks.
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// CHECK: no schedule of this input has a determinacy race
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#include <tbb/tbb.h>

#include <atomic>
#include <cassert>
#include <memory>
#include <stdexcept>

long fib(int n) {
  if (n < 2) return n;
  long left = 0, right = 0;
  tbb::task_group group;
  group.run([&] { left = fib(n - 1); });
  group.run_and_wait([&] { right = fib(n - 2); });
  return left + right;
}

struct node {
  std::unique_ptr<node> left, right;
  int value = 1;
};
std::unique_ptr<node> grow(int depth) {
  auto made = std::make_unique<node>();
  if (depth > 0) made->left = grow(depth - 1), made->right = grow(depth - 1);
  return made;
}
void visit(node* at, tbb::task_group& group) {
  at->value = 2;
  if (!at->left) return;
  group.run([at, &group] { visit(at->left.get(), group); });
  group.run([at, &group] { visit(at->right.get(), group); });
}
int total(const node* at) { return at == nullptr ? 0 : at->value + total(at->left.get()) + total(at->right.get()); }

int main() {
  assert(fib(12) == 144);
  auto root = grow(5);
  tbb::task_group group;
  visit(root.get(), group);
  assert(group.wait() == tbb::complete);
  assert(total(root.get()) == 126);

  int handled = 0;
  tbb::task_handle handle = group.defer([&] { ++handled; });
  assert(handle && handle != nullptr);
  group.run(std::move(handle));
  assert(!handle);
  group.wait();
  group.run_and_wait(group.defer([&] { ++handled; }));
  { tbb::task_handle never = group.defer([&] { ++handled; }); }
  assert(handled == 2);

  // A deleted object is used by no task after the wait.
  auto* value = new int(1);
  group.run([=] { *value = 2; });
  group.wait();
  delete value;

  try {
    group.run([] { throw std::runtime_error("x"); });
    group.wait();
    assert(false);
  } catch (const std::runtime_error&) {
  }
  assert(group.wait() == tbb::complete);
  group.run([&] { group.cancel(); assert(tbb::is_current_task_group_canceling()); });
  group.run([] { assert(false); });
  assert(group.wait() == tbb::canceled);
  try {
    tbb::task_group unwaited;
    unwaited.run([] {});
  } catch (const tbb::missing_wait&) {
    ++handled;
  }
  assert(handled == 3);
  tbb::isolated_task_group isolated;
  isolated.run([&] { ++handled; });
  isolated.wait();

  tbb::task_arena arena(3);
  assert(arena.max_concurrency() == 3);
  assert(arena.execute([] { return tbb::this_task_arena::max_concurrency(); }) == 3);
  assert(tbb::this_task_arena::isolate([&] { return handled; }) == 4);
  assert(tbb::info::default_concurrency() == tbb::this_task_arena::max_concurrency());
  {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
    assert(tbb::this_task_arena::max_concurrency() == 2);
    assert(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) == 2);
  }
  assert(tbb::this_task_arena::max_concurrency() > 2);

  static std::atomic<bool> done{false};
  arena.enqueue([] { done = true; });
  assert(done);

  // What was done before resume is seen after suspend.
  int data = 0;
  tbb::task_group other;
  tbb::task::suspend_point point{};
  group.run([&] {
    tbb::task::suspend([&](tbb::task::suspend_point tag) {
      point = tag;
      other.run([&data, tag] {
        data = 5;
        tbb::task::resume(tag);
      });
    });
    assert(data == 5);
    data = 6;
  });
  group.wait();
  other.wait();
  tbb::collaborative_once_flag flag;
  int calls = 0;
  tbb::parallel_for(0, 10, [&](int) { tbb::collaborative_call_once(flag, [&] { ++calls; }); });
  assert(calls == 1);
}

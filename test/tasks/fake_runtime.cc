#include "test/tasks/fake_runtime.h"

#include <taskrace/hooks.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <utility>

namespace fake {

std::vector<std::string> events;
int live_storages = 0;
int joins = 0;
int joins_of_others = 0;
size_t longest_line = 0;

namespace {

struct Free {
  std::align_val_t alignment;
  void operator()(void* memory) const { ::operator delete(memory, alignment); }
};
using Storage = std::unique_ptr<void, Free>;
// Not yet given to a task: at most one, unless copying a closure threw.
std::vector<Storage> waiting;
std::map<void*, std::align_val_t> states;
uint32_t last_group = 0;
std::vector<__taskrace_group*> open_finishes;
uint32_t last_task = 1, last_promise = 0;
// The tasks that have begun and not ended, the innermost last; the root is task 1.
std::vector<uint32_t> running = {1};
// lattice2d's line of tasks from left to right.
std::vector<uint32_t> line = {1};

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fake runtime: %s\n", what);
  std::abort();
}

// Near the right end, as a rule.
std::vector<uint32_t>::iterator PlaceInLine(uint32_t task) {
  auto place = std::find(line.rbegin(), line.rend(), task);
  Require(place != line.rend(), "a task that is not in the line");
  return place.base() - 1;
}

// Runs the task at once.
void RunTask(const char* how, void (*body)(void*), void* closure) {
  Require(!waiting.empty() && waiting.back().get() == closure,
          "a task is created with another storage than the last one");
  Storage storage = std::move(waiting.back());
  waiting.pop_back();
  events.push_back(how);
  body(closure);
  events.push_back("end");
  storage.reset();
  --live_storages;
}

// The same for a task that is got or joined on its own.
void RunSingle(const char* how, __taskrace_future* future, void (*body)(void*), void* closure) {
  Require(future->task == 0 && future->promise == 0, "a future is made twice");
  future->task = ++last_task;
  line.insert(PlaceInLine(running.back()), future->task);
  longest_line = std::max(longest_line, line.size());
  running.push_back(future->task);
  RunTask(how, body, closure);
  running.pop_back();
  future->ready = 1;
}

}  // namespace
}  // namespace fake

using fake::Require;

extern "C" {

__thread __taskrace_frame* __taskrace_top = nullptr;

void* __taskrace_state_storage(size_t size, size_t alignment) noexcept {
  void* const state = ::operator new(size, static_cast<std::align_val_t>(alignment));
  fake::states.emplace(state, static_cast<std::align_val_t>(alignment));
  ++fake::live_storages;
  return state;
}
void __taskrace_state_free(void* state) noexcept {
  const auto found = fake::states.find(state);
  Require(found != fake::states.end(), "a state is freed that is not there");
  ::operator delete(state, found->second);
  fake::states.erase(found);
  --fake::live_storages;
  fake::events.push_back("free");
}

void* __taskrace_task_storage(size_t size, size_t alignment) noexcept {
  const auto align = static_cast<std::align_val_t>(alignment);
  void* memory = ::operator new(size, align);
  fake::waiting.emplace_back(memory, fake::Free{align});
  ++fake::live_storages;
  fake::events.push_back("storage");
  return memory;
}

void __taskrace_spawn(__taskrace_group* scope, void (*body)(void*), void* closure) noexcept {
  Require(scope->id != 0, "a task is spawned into a scope that is not open");
  ++scope->unjoined;
  fake::RunTask("spawn", body, closure);
}

void __taskrace_async(void (*body)(void*), void* closure) noexcept {
  fake::RunTask("async", body, closure);
}

void __taskrace_make_future(__taskrace_future* future, void (*body)(void*),
                            void* closure) noexcept {
  fake::RunSingle("future", future, body, closure);
}

void __taskrace_fork(__taskrace_future* fork, void (*body)(void*), void* closure) noexcept {
  fake::RunSingle("fork", fork, body, closure);
}
void __taskrace_stage(__taskrace_future* fork, void (*body)(void*), void* closure) noexcept {
  fake::RunSingle("fork", fork, body, closure);
}

void __taskrace_get(__taskrace_future* future) noexcept {
  Require(future->task != 0 || future->promise != 0, "a get of nothing");
  Require(future->ready != 0, "a get of what is not ready");
  fake::events.push_back("get");
}

void __taskrace_join(__taskrace_future* fork) noexcept {
  Require(fork->task != 0 && fork->ready != 0, "a join of what has not ended");
  const auto joined = fake::PlaceInLine(fork->task);
  if (joined + 1 != fake::PlaceInLine(fake::running.back())) ++fake::joins_of_others;
  fake::line.erase(joined);
  ++fake::joins;
  fake::events.push_back("join");
}

void __taskrace_promise_begin(__taskrace_future* promise) noexcept {
  Require(promise->promise == 0 && promise->task == 0, "a promise begins twice");
  promise->promise = ++fake::last_promise;
  fake::events.push_back("promise");
}

void __taskrace_promise_set(__taskrace_future* promise) noexcept {
  Require(promise->promise != 0 && promise->ready == 0, "a promise is set twice");
  promise->ready = 1;
  fake::events.push_back("set");
}

void __taskrace_promise_end(__taskrace_future* promise) noexcept {
  Require(promise->promise != 0, "the end of what is no promise");
  promise->promise = 0;
  fake::events.push_back("promise end");
}

// Two parts, if there are two iterations.
void __taskrace_loop(size_t count, int64_t index, void (*range)(void*, size_t, size_t),
                     void* closure) noexcept {
  if (count == 0) return;
  fake::events.push_back("loop " + std::to_string(count) + " from " + std::to_string(index));
  const size_t middle = (count + 1) / 2;
  range(closure, 0, middle);
  if (middle != count) range(closure, middle, count);
  fake::events.push_back("loop end");
}
int __taskrace_iteration(size_t k) noexcept {
  fake::events.push_back("iteration " + std::to_string(k));
  return 1;
}

void __taskrace_scope_begin(__taskrace_group* scope) noexcept {
  Require(scope->id == 0, "a scope begins twice");
  scope->id = ++fake::last_group;
  fake::events.push_back("scope");
}
void __taskrace_nest_begin(__taskrace_group* scope) noexcept {
  Require(scope->id == 0, "a scope begins twice");
  scope->id = ++fake::last_group;
  fake::events.push_back("scope");
}

void __taskrace_scope_sync(__taskrace_group* scope) noexcept {
  Require(scope->id != 0, "a sync of a scope that is not open");
  scope->unjoined = 0;
  fake::events.push_back("sync");
}

void __taskrace_scope_end(__taskrace_group* scope) noexcept {
  Require(scope->id != 0 && scope->unjoined == 0, "a scope ends with unjoined tasks");
  scope->id = 0;
  fake::events.push_back("scope end");
}

void __taskrace_finish_begin(__taskrace_group* finish) noexcept {
  Require(finish->id == 0, "a finish begins twice");
  finish->id = ++fake::last_group;
  fake::open_finishes.push_back(finish);
  fake::events.push_back("finish");
}

void __taskrace_finish_end(__taskrace_group* finish) noexcept {
  Require(!fake::open_finishes.empty() && fake::open_finishes.back() == finish,
          "a finish ends that is not the innermost");
  fake::open_finishes.pop_back();
  fake::events.push_back("finish end");
}

__taskrace_group* __taskrace_innermost_finish() noexcept {
  return fake::open_finishes.empty() ? nullptr : fake::open_finishes.back();
}

void __taskrace_ordered_begin() noexcept { fake::events.push_back("ordered"); }
void __taskrace_ordered_end() noexcept { fake::events.push_back("ordered end"); }

void __taskrace_ignore_begin() noexcept { fake::events.push_back("ignore begin"); }
void __taskrace_ignore_end() noexcept { fake::events.push_back("ignore end"); }
void __taskrace_ignore_range(const void*, size_t size) noexcept {
  fake::events.push_back("ignore " + std::to_string(size));
}
void __taskrace_freed_range(const void*, size_t size) noexcept {
  fake::events.push_back("freed " + std::to_string(size));
}
void __taskrace_forget_range(const void*, size_t size) noexcept {
  fake::events.push_back("forget " + std::to_string(size));
}
void __taskrace_lock_acquired(const void*, int shared) noexcept {
  fake::events.push_back(shared ? "lock shared" : "lock");
}
void __taskrace_lock_released(const void*) noexcept { fake::events.push_back("unlock"); }
void __taskrace_happens_before(const void*) noexcept { fake::events.push_back("before"); }
void __taskrace_happens_after(const void*) noexcept { fake::events.push_back("after"); }
int __taskrace_is_on() noexcept { return 1; }
unsigned __taskrace_this_worker() noexcept { return 3; }
unsigned __taskrace_this_worker_of(unsigned workers) noexcept { return workers > 3 ? 3 : 0; }
unsigned __taskrace_max_workers() noexcept { return 8; }

}  // extern "C"

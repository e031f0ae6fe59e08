#include "test/tasks/fake_runtime.h"

#include <taskrace/hooks.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace fake {

std::vector<std::string> events;
int live_storages = 0;
int constructs = 0;

namespace {

struct Free {
  std::align_val_t alignment;
  void operator()(void* memory) const { ::operator delete(memory, alignment); }
};
using Storage = std::unique_ptr<void, Free>;
// Not yet given to a task: at most one, unless copying a closure threw.
std::vector<Storage> waiting;
uint32_t last_group = 0;
std::vector<__taskrace_group*> open_finishes;

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fake runtime: %s\n", what);
  std::abort();
}

}  // namespace
}  // namespace fake

using fake::Require;

extern "C" {

__thread __taskrace_frame* __taskrace_top = nullptr;

void* __taskrace_task_storage(size_t size, size_t alignment) noexcept {
  const auto align = static_cast<std::align_val_t>(alignment);
  void* memory = ::operator new(size, align);
  fake::waiting.emplace_back(memory, fake::Free{align});
  ++fake::live_storages;
  fake::events.push_back("storage");
  return memory;
}

void __taskrace_create(__taskrace_how how, __taskrace_group* group, void (*body)(void*),
                       void* closure) noexcept {
  Require(!fake::waiting.empty() && fake::waiting.back().get() == closure,
          "a task is created with another storage than the last one");
  Require((how == TASKRACE_SPAWN) == (group != nullptr), "a spawn has a group, an async none");
  Require(group == nullptr || group->id != 0, "a task is spawned into a scope that is not open");
  fake::Storage storage = std::move(fake::waiting.back());
  fake::waiting.pop_back();
  fake::events.push_back(how == TASKRACE_SPAWN ? "spawn" : "async");
  if (group != nullptr) ++group->unjoined;
  body(closure);
  fake::events.push_back("end");
  storage.reset();
  --fake::live_storages;
}

void __taskrace_scope_begin(__taskrace_group* scope) noexcept {
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

void __taskrace_uses(__taskrace_construct construct) noexcept { fake::constructs |= construct; }

void __taskrace_ignore_begin() noexcept { fake::events.push_back("ignore begin"); }
void __taskrace_ignore_end() noexcept { fake::events.push_back("ignore end"); }
void __taskrace_ignore_range(const void*, size_t size) noexcept {
  fake::events.push_back("ignore " + std::to_string(size));
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

}  // extern "C"

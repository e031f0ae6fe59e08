// Cancellation for the headers of oneTBB: task_group_context, and the context of the running task.
//
// No task is stopped. A construct that begins, or a task that is created, when its context is cancelled already
// does not run; everything else runs to its end, as in a schedule where it had begun before the cancellation. So
// iterations of a loop that cancels itself are all checked.
//
// Thread rule: any task. Cost: O(1), and the depth of nested contexts to ask whether one is cancelled.
#ifndef TASKRACE_DETAIL_TBB_CONTEXT_HPP
#define TASKRACE_DETAIL_TBB_CONTEXT_HPP

#include <taskrace/annotate.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <taskrace/detail/exceptions.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// What contexts that are bound to this one know of it. Counted: it lives until the last of them is gone.
class context_state {
 public:
  TASKRACE_NO_INSTRUMENT static context_state* make(context_state* parent) {
    void* memory = std::malloc(sizeof(context_state));
    if (memory == nullptr) throw_bad_alloc();
    return ::new (memory) context_state(add_reference(parent));
  }
  TASKRACE_NO_INSTRUMENT static context_state* add_reference(context_state* state) noexcept {
    if (state != nullptr) __atomic_fetch_add(&state->references_, 1, __ATOMIC_RELAXED);
    return state;
  }
  TASKRACE_NO_INSTRUMENT static void release(context_state* state) noexcept {
    while (state != nullptr && __atomic_sub_fetch(&state->references_, 1, __ATOMIC_ACQ_REL) == 0) {
      context_state* parent = state->parent_;
      std::free(state);
      state = parent;
    }
  }

  TASKRACE_NO_INSTRUMENT bool is_cancelled() const noexcept {
    for (const context_state* state = this; state != nullptr; state = state->parent_) {
      if (__atomic_load_n(&state->cancelled_, __ATOMIC_RELAXED)) return true;
    }
    return false;
  }
  // Is this the call that cancels it?
  TASKRACE_NO_INSTRUMENT bool cancel() noexcept {
    return !is_cancelled() && !__atomic_exchange_n(&cancelled_, true, __ATOMIC_RELAXED);
  }
  TASKRACE_NO_INSTRUMENT void reset() noexcept {
    __atomic_store_n(&cancelled_, false, __ATOMIC_RELAXED);
  }

  // That of the task that runs on this thread; null: none.
  TASKRACE_NO_INSTRUMENT static context_state* current() noexcept { return current_; }
  // Becomes the current one. Returns the one before, with a reference of the caller's.
  TASKRACE_NO_INSTRUMENT static context_state* enter(context_state* state) noexcept {
    context_state* before = add_reference(current_);
    current_ = state;
    return before;
  }
  TASKRACE_NO_INSTRUMENT static void leave(context_state* before) noexcept {
    current_ = before;
    release(before);
  }

 private:
  TASKRACE_NO_INSTRUMENT explicit context_state(context_state* parent) noexcept
      : references_(1), cancelled_(false), parent_(parent) {}
  [[noreturn]] static void throw_bad_alloc() {
#ifdef __cpp_exceptions
    throw std::bad_alloc();
#else
    std::abort();
#endif
  }

  __attribute__((visibility("default"))) inline static thread_local context_state* current_ =
      nullptr;

  uint32_t references_;
  bool cancelled_;
  context_state* parent_;
};

class task_group_context {
 public:
  enum kind_type { isolated, bound };
  enum traits_type { fp_settings = 1 << 1, concurrent_wait = 1 << 2, default_traits = 0 };

  TASKRACE_NO_INSTRUMENT task_group_context(kind_type relation_with_parent = bound,
                                            std::uintptr_t = default_traits)
      : state_(context_state::make(relation_with_parent == bound ? context_state::current()
                                                                 : nullptr)) {}
  TASKRACE_NO_INSTRUMENT ~task_group_context() { context_state::release(state_); }
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;

  TASKRACE_NO_INSTRUMENT bool cancel_group_execution() { return state_->cancel(); }
  TASKRACE_NO_INSTRUMENT bool is_group_execution_cancelled() { return state_->is_cancelled(); }
  TASKRACE_NO_INSTRUMENT void reset() { state_->reset(); }
  // Every construct runs with the settings of its caller here.
  void capture_fp_settings() {}

  // For the constructs.
  TASKRACE_NO_INSTRUMENT context_state* state() const noexcept { return state_; }

 private:
  friend class context_of_current_task;
  TASKRACE_NO_INSTRUMENT explicit task_group_context(context_state* state) noexcept
      : state_(context_state::add_reference(state)) {}

  context_state* state_;
};

// What task::current_context() returns a pointer to.
class context_of_current_task {
 public:
  TASKRACE_NO_INSTRUMENT task_group_context* update() {
    context_state* current = context_state::current();
    if (current == nullptr) return nullptr;
    context_state::add_reference(current);
    context_state::release(context_.state_);
    context_.state_ = current;
    return &context_;
  }

 private:
  task_group_context context_{static_cast<context_state*>(nullptr)};
};

TASKRACE_NO_INSTRUMENT inline bool is_current_task_group_canceling() {
  const context_state* current = context_state::current();
  return current != nullptr && current->is_cancelled();
}

// Makes a context the current one, from its construction to its destruction.
class context_region {
 public:
  TASKRACE_NO_INSTRUMENT explicit context_region(context_state* state) noexcept
      : before_(context_state::enter(state)) {}
  TASKRACE_NO_INSTRUMENT ~context_region() { context_state::leave(before_); }
  context_region(const context_region&) = delete;
  context_region& operator=(const context_region&) = delete;

 private:
  context_state* before_;
};

// Runs a construct with the context that its caller has given to it, or none.
template <class Construct>
void run_in(task_group_context& context, const Construct& construct) {
  if (context.is_group_execution_cancelled()) return;
  context_region region(context.state());
#ifdef __cpp_exceptions
  try {
    construct();
  } catch (...) {
    context.cancel_group_execution();
    throw;
  }
#else
  construct();
#endif
}
template <class Construct>
void run_in_own_context(const Construct& construct) {
  if (!is_current_task_group_canceling()) construct();
}

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::is_current_task_group_canceling;
using detail::task_group_context;
}  // namespace v1
}  // namespace tbb

#endif

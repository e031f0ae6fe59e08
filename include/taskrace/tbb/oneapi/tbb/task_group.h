// task_group of oneTBB. Any task may run tasks in a group and wait for it.
//
// Every task of a group is a future, and wait() gets all that are not joined yet, in the order of their creation.
// If parallel tasks wait for one group, the order is given to the first that waits.
#pragma GCC system_header
#ifndef TASKRACE_TBB_TASK_GROUP_H
#define TASKRACE_TBB_TASK_GROUP_H

#include <taskrace/annotate.h>
#include <taskrace/hooks.h>

#include <cstddef>
#include <exception>
#include <new>
#include <taskrace/detail/detected.hpp>
#include <taskrace/detail/tbb/context.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

enum task_group_status { not_complete, complete, canceled };

// A group was destroyed before it was waited for.
class missing_wait : public std::exception {
 public:
  const char* what() const noexcept override { return "wait() is not called on the task_group"; }
};

class task_group;

// A function that waits to be run as a task.
class deferred_function {
 public:
  virtual ~deferred_function() = default;
  virtual void call() = 0;
};

// A task that is made but not created yet. Memory like any other.
class task_handle {
 public:
  task_handle() = default;
  task_handle(task_handle&& other) noexcept : function_(std::exchange(other.function_, nullptr)) {}
  task_handle& operator=(task_handle&& other) noexcept {
    if (this != &other) {
      delete function_;
      function_ = std::exchange(other.function_, nullptr);
    }
    return *this;
  }
  ~task_handle() { delete function_; }
  explicit operator bool() const noexcept { return function_ != nullptr; }

  friend bool operator==(const task_handle& handle, std::nullptr_t) noexcept {
    return handle.function_ == nullptr;
  }
  friend bool operator==(std::nullptr_t, const task_handle& handle) noexcept {
    return handle.function_ == nullptr;
  }
  friend bool operator!=(const task_handle& handle, std::nullptr_t) noexcept {
    return handle.function_ != nullptr;
  }
  friend bool operator!=(std::nullptr_t, const task_handle& handle) noexcept {
    return handle.function_ != nullptr;
  }

  // For the constructs: the function, as a task calls it.
  struct called {
    deferred_function* function;
    explicit called(deferred_function* f) noexcept : function(f) {}
    called(called&& other) noexcept : function(std::exchange(other.function, nullptr)) {}
    ~called() { delete function; }
    void operator()() { function->call(); }
  };
  called release() noexcept { return called(std::exchange(function_, nullptr)); }

 private:
  friend class task_group;
  explicit task_handle(deferred_function* function) noexcept : function_(function) {}

  deferred_function* function_ = nullptr;
};

// Tasks that are joined one by one. Bookkeeping: never checked.
class crew {
 public:
  struct member {
    __taskrace_future future;  // first, as the runtime demands
    member* next;
  };

  TASKRACE_NO_INSTRUMENT crew() noexcept : first_(nullptr), end_(&first_), locked_(false) {}
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  TASKRACE_NO_INSTRUMENT member* add() noexcept {
    void* state = __taskrace_state_storage(sizeof(member), alignof(member));
    auto* mine = ::new (state) member{};
    lock();
    *end_ = mine;
    end_ = &mine->next;
    unlock();
    return mine;
  }
  TASKRACE_NO_INSTRUMENT static __taskrace_future* future_of(member* of) noexcept {
    return &of->future;
  }
  // Joins all that were added and are not joined yet.
  void join() noexcept {
    while (member* next = take()) {
      __taskrace_get(future_of(next));
      free(next);
    }
  }
  TASKRACE_NO_INSTRUMENT bool is_empty() const noexcept { return first_ == nullptr; }

 private:
  TASKRACE_NO_INSTRUMENT member* take() noexcept {
    lock();
    member* taken = first_;
    if (taken != nullptr) {
      first_ = taken->next;
      if (first_ == nullptr) end_ = &first_;
    }
    unlock();
    return taken;
  }
  TASKRACE_NO_INSTRUMENT static void free(member* joined) noexcept {
    __taskrace_state_free(joined);
  }
  TASKRACE_NO_INSTRUMENT void lock() noexcept {
    while (__atomic_exchange_n(&locked_, true, __ATOMIC_ACQUIRE)) continue;
  }
  TASKRACE_NO_INSTRUMENT void unlock() noexcept {
    __atomic_store_n(&locked_, false, __ATOMIC_RELEASE);
  }

  member* first_;
  member** end_;
  bool locked_;
};

class task_group {
 public:
  task_group() noexcept(false) : context_(own_context_) { error_.begin(); }
  explicit task_group(task_group_context& context) : context_(context) { error_.begin(); }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  ~task_group() noexcept(false) {
    if (members_.is_empty()) return;
    cancel();
    members_.join();
    error_.drop();
#ifdef __cpp_exceptions
    if (std::uncaught_exceptions() == 0) throw missing_wait();
#endif
  }

  // Does nothing if the group is cancelled already.
  template <class Function>
  void run(Function&& function) {
    if (!is_canceling()) start(std::forward<Function>(function));
  }
  void run(task_handle&& handle) {
    task_handle mine(std::move(handle));
    if (!is_canceling()) start(mine.release());
  }
  template <class Function>
  task_handle defer(Function&& function) {
    struct deferred final : deferred_function {
      std::decay_t<Function> function;
      explicit deferred(Function&& f) : function(std::forward<Function>(f)) {}
      void call() override { function(); }
    };
    return task_handle(new deferred(std::forward<Function>(function)));
  }
  template <class Function>
  task_group_status run_and_wait(const Function& function) {
    run([&function] { function(); });
    return wait();
  }
  task_group_status run_and_wait(task_handle&& handle) {
    run(std::move(handle));
    return wait();
  }
  task_group_status wait() {
    members_.join();
    const bool was_cancelled = is_canceling();
    context_.reset();
    error_.rethrow();
    return was_cancelled ? canceled : complete;
  }
  void cancel() { context_.cancel_group_execution(); }

 private:
  TASKRACE_NO_INSTRUMENT bool is_canceling() { return context_.is_group_execution_cancelled(); }

  template <class F>
  void start(F&& function) {
    using Function = std::decay_t<F>;
    using Block = taskrace::detail::task_block<task_group*, Function>;
    crew::member* member = members_.add();
    void* storage = Block::storage(this);
    ::new (Block::place(storage)) Function(std::forward<F>(function));
    __taskrace_make_future(crew::future_of(member), &run_task<Function>, storage);
  }
  template <class Function>
  static void run_task(void* storage) noexcept {
    using Block = taskrace::detail::task_block<task_group*, Function>;
    task_group* group = Block::header(storage);
    Function& function = Block::body(storage);
    {
      context_region region(state_of(group));
      TASKRACE_DETAIL_TRY {
        // A task may return the handle of the one that is run next.
        if constexpr (std::is_same_v<std::invoke_result_t<Function&>, task_handle>) {
          if (task_handle next = function()) group->run(std::move(next));
        } else {
          function();
        }
      }
      TASKRACE_DETAIL_CATCH { keep(group); }
    }
    function.~Function();
  }
  TASKRACE_NO_INSTRUMENT static context_state* state_of(task_group* group) noexcept {
    return group->context_.state();
  }
  TASKRACE_NO_INSTRUMENT static void keep(task_group* group) noexcept {
    group->error_.keep();
    group->context_.cancel_group_execution();
  }

  task_group_context own_context_;
  task_group_context& context_;
  crew members_;
  taskrace::detail::first_error error_;
};

// Which thread runs a task is up to the schedule in any case.
class isolated_task_group : public task_group {
 public:
  using task_group::task_group;
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::canceled;
using detail::complete;
using detail::is_current_task_group_canceling;
using detail::isolated_task_group;
using detail::missing_wait;
using detail::not_complete;
using detail::task_group;
using detail::task_group_context;
using detail::task_group_status;
using detail::task_handle;
}  // namespace v1
}  // namespace tbb

#endif

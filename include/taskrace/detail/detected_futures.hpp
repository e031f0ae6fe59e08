// Futures, promises and forks in the detection build.
//
// Which functions are instrumented: as detected.hpp says. The last release of a state destroys the
// value and frees the state; the count puts it last, not the dag, so it is an ordered region, as
// for shared_ptr.
//
// Thread rule: as hooks.h. Cost: a future or fork is one state and one task.
#ifndef TASKRACE_DETAIL_DETECTED_FUTURES_HPP
#define TASKRACE_DETAIL_DETECTED_FUTURES_HPP

#include <taskrace/annotate.h>
#include <taskrace/hooks.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <taskrace/detail/detected.hpp>
#include <type_traits>
#include <utility>

namespace taskrace {
namespace detail {
inline namespace detected {

class completion {
 public:
  TASKRACE_NO_INSTRUMENT completion() noexcept : future_{}, references_(1), claimed_(false) {}
  completion(const completion&) = delete;
  completion& operator=(const completion&) = delete;

  // Not the program's: what is done to a state is forgotten when it is freed, and not checked.
  TASKRACE_NO_INSTRUMENT static void* operator new(std::size_t size) {
    return __taskrace_state_storage(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  }
  TASKRACE_NO_INSTRUMENT static void* operator new(std::size_t size, std::align_val_t alignment) {
    return __taskrace_state_storage(size, static_cast<std::size_t>(alignment));
  }
  TASKRACE_NO_INSTRUMENT static void operator delete(void* state) noexcept {
    __taskrace_state_free(state);
  }
  TASKRACE_NO_INSTRUMENT static void operator delete(void* state, std::align_val_t) noexcept {
    __taskrace_state_free(state);
  }

  __taskrace_future* future() noexcept { return &future_; }
  void begin_promise() noexcept { __taskrace_promise_begin(&future_); }
  void complete() noexcept { __taskrace_promise_set(&future_); }
  void wait() noexcept { __taskrace_get(&future_); }
  void join() noexcept { __taskrace_join(&future_); }

  TASKRACE_NO_INSTRUMENT bool claim() noexcept {
    return !__atomic_exchange_n(&claimed_, true, __ATOMIC_RELAXED);
  }
  TASKRACE_NO_INSTRUMENT void unclaim() noexcept {
    __atomic_store_n(&claimed_, false, __ATOMIC_RELAXED);
  }

  TASKRACE_NO_INSTRUMENT void add_reference() noexcept {
    __atomic_fetch_add(&references_, 1, __ATOMIC_RELAXED);
  }
  TASKRACE_NO_INSTRUMENT bool is_shared() const noexcept {
    return __atomic_load_n(&references_, __ATOMIC_RELAXED) > 1;
  }
  template <class State>
  static void release(State* state) noexcept {
    if (state->is_last()) destroy<State>(state);
  }
  // The reference of the task itself, released inside it. The runtime still marks the future when
  // the task has ended: a state that nobody else has any more is put by until then. That takes a
  // task which waited, so that its creator went on and let go of the future.
  template <class State>
  static void release_inside_task(State* state) noexcept {
    if (state->is_last()) put_by(state, &destroy<State>);
  }

 private:
  template <class State>
  static void destroy(completion* state) noexcept {
    State* const whole = static_cast<State*>(state);
    state->end_promise();
    if (whole->outcome.is_trivial()) return delete whole;
    __taskrace_ordered_begin();
    delete whole;
    __taskrace_ordered_end();
  }
  TASKRACE_NO_INSTRUMENT void end_promise() noexcept {
    if (future_.promise != 0) __taskrace_promise_end(&future_);
  }
  TASKRACE_NO_INSTRUMENT bool is_last() noexcept {
    return __atomic_sub_fetch(&references_, 1, __ATOMIC_ACQ_REL) == 0;
  }

  // Puts the state by, and destroys those whose task has ended since.
  [[gnu::cold]] TASKRACE_NO_INSTRUMENT static void put_by(completion* state,
                                                          void (*destroy)(completion*)) noexcept {
    for (left_over** at = &left_overs_; *at != nullptr;) {
      left_over* older = *at;
      if (older->state->future_.ready == 0) {
        at = &older->next;
        continue;
      }
      *at = older->next;
      older->destroy(older->state);
      delete older;
    }
    left_overs_ = new left_over{state, destroy, left_overs_};
  }

  struct left_over {
    completion* state;
    void (*destroy)(completion*);
    left_over* next;
  };
  // One list for the program, also when libraries are built with hidden visibility.
  __attribute__((visibility("default"))) inline static left_over* left_overs_ = nullptr;

  __taskrace_future future_;
  uint32_t references_;
  bool claimed_;
};

}  // namespace detected
}  // namespace detail
}  // namespace taskrace

#include <taskrace/detail/shared_state.hpp>

namespace taskrace {
namespace detail {
inline namespace detected {

template <class T>
using future_state = state_pointer<T>;

template <class T, class Function>
void run_single(void* storage) noexcept {
  using Block = task_block<shared_state<T>*, Function>;
  Function& function = Block::body(storage);
  shared_state<T>* state = Block::header(storage);
  TASKRACE_DETAIL_TRY { state->outcome.set_by(function); }
  TASKRACE_DETAIL_CATCH { state->outcome.set_current_exception(); }
  function.~Function();
  completion::release_inside_task(state);
}

// A task that is waited for on its own, by whoever has its state; about to be created.
template <class T>
struct single_task {
  state_pointer<T> state;
  void* storage;
};

template <class T, class F>
single_task<T> prepare_single(F&& function) {
  using Function = std::decay_t<F>;
  using Block = task_block<shared_state<T>*, Function>;
  state_pointer<T> state(new shared_state<T>);
  void* storage = Block::storage(state.operator->());
  ::new (Block::place(storage)) Function(std::forward<F>(function));
  state->add_reference();
  return {std::move(state), storage};
}

template <class T, class F>
state_pointer<T> make_future(F&& function) {
  single_task<T> task = detected::prepare_single<T>(std::forward<F>(function));
  __taskrace_make_future(task.state->future(), &run_single<T, std::decay_t<F>>, task.storage);
  return std::move(task.state);
}

template <class T>
state_pointer<T> make_promise() {
  state_pointer<T> state(new shared_state<T>);
  state->begin_promise();
  return state;
}

// What a forked task leaves to its joiner.
using fork_state = state_pointer<void>;

template <class F>
fork_state fork(F&& function) {
  single_task<void> task = detected::prepare_single<void>(std::forward<F>(function));
  __taskrace_fork(task.state->future(), &run_single<void, std::decay_t<F>>, task.storage);
  return std::move(task.state);
}

inline void join(fork_state state) {
  state->join();
  state->outcome.take();
}

}  // namespace detected
}  // namespace detail
}  // namespace taskrace

#endif

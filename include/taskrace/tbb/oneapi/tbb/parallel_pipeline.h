// parallel_pipeline of oneTBB.
//
// Item i in filter s is a task C(i, s), which C(i, s - 1) creates when it is done; it is a future. In a filter that is
// serial_in_order, C(i, s) first gets C(i - 1, s). In one that is serial_out_of_order it holds a lock of the filter's own:
// exclusion without order. The caller runs the first filter, unless that one is parallel.
//
// The limit of k items under way orders more: when item i + k begins, i + 1 earlier items have left, so that one
// from i on has passed the last filter that is serial_in_order, and therefore item i has. So the first filter, if it is
// serial_in_order, gets C(i, last such filter) before item i + k; a ring buffer of k places rests on that.
//
// An exception ends its item and stops the first filter.
//
// Cost: a task and an allocation for each item and filter, and 64 bytes for it until the pipeline ends.
#pragma GCC system_header
#ifndef TASKRACE_TBB_PARALLEL_PIPELINE_H
#define TASKRACE_TBB_PARALLEL_PIPELINE_H

#include <oneapi/tbb/task_group.h>
#include <taskrace/annotate.h>
#include <taskrace/hooks.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <taskrace/detail/detected.hpp>
#include <taskrace/detail/tbb/context.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

enum class filter_mode : unsigned { parallel, serial_out_of_order, serial_in_order };

// How the first filter says that there are no more items.
class flow_control {
 public:
  TASKRACE_NO_INSTRUMENT void stop() { is_stopped_ = true; }
  TASKRACE_NO_INSTRUMENT bool is_pipeline_stopped() const { return is_stopped_; }

 private:
  bool is_stopped_ = false;
};

// A filter without its types. An item is a block of memory of the type that the filter takes; null: none.
class any_filter {
 public:
  explicit any_filter(filter_mode mode) : mode_(mode) {}
  virtual ~any_filter() = default;
  // Takes an item, and returns the next one.
  virtual void* call(void* item, flow_control& control) const = 0;
  TASKRACE_NO_INSTRUMENT filter_mode mode() const noexcept { return mode_; }

 private:
  const filter_mode mode_;
};
template <class Input, class Output, class Body>
class filter_of final : public any_filter {
 public:
  filter_of(filter_mode mode, const Body& body) : any_filter(mode), body_(body) {}
  void* call(void* item, flow_control& control) const override {
    if constexpr (std::is_void_v<Input>) {
      if constexpr (std::is_void_v<Output>) {
        body_(control);
        return nullptr;
      } else {
        std::unique_ptr<Output> next(new Output(body_(control)));
        return control.is_pipeline_stopped() ? nullptr : next.release();
      }
    } else {
      const std::unique_ptr<Input> mine(static_cast<Input*>(item));
      if constexpr (std::is_void_v<Output>) {
        body_(std::move(*mine));
        return nullptr;
      } else {
        return new Output(body_(std::move(*mine)));
      }
    }
  }

 private:
  const Body body_;
};

using filters = std::vector<std::shared_ptr<const any_filter>>;

// One filter, or several in a row.
template <class Input, class Output>
class filter {
 public:
  filter() = default;
  template <class Body>
  filter(filter_mode mode, const Body& body)
      : all_{std::make_shared<filter_of<std::decay_t<Input>, std::decay_t<Output>, Body>>(mode,
                                                                                          body)} {}
  void clear() { all_.clear(); }

  template <class Next>
  friend filter<Input, Next> operator&(const filter& left, const filter<Output, Next>& right) {
    filters all = left.all();
    all.insert(all.end(), right.all().begin(), right.all().end());
    return filter<Input, Next>(std::move(all));
  }
  // For the constructs.
  const filters& all() const { return all_; }
  explicit filter(filters all) : all_(std::move(all)) {}

 private:
  filters all_;
};

template <class Body>
struct filter_types : filter_types<decltype(&Body::operator())> {};
template <class Class, class Output, class Input>
struct filter_types<Output (Class::*)(Input) const> {
  using output = std::decay_t<Output>;
  using input = std::conditional_t<std::is_same_v<std::decay_t<Input>, flow_control>, void,
                                   std::decay_t<Input>>;
};
template <class Class, class Output, class Input>
struct filter_types<Output (Class::*)(Input)> : filter_types<Output (Class::*)(Input) const> {};
template <class Output, class Input>
struct filter_types<Output (*)(Input)> : filter_types<Output (flow_control::*)(Input) const> {};
template <class Body>
filter(filter_mode, Body)
    -> filter<typename filter_types<Body>::input, typename filter_types<Body>::output>;

template <class Input, class Output, class Body>
filter<Input, Output> make_filter(filter_mode mode, const Body& body) {
  return filter<Input, Output>(mode, body);
}
template <class Body>
auto make_filter(filter_mode mode, const Body& body) {
  return filter(mode, body);
}

// A pipeline that runs.
class pipeline_run {
 public:
  pipeline_run(std::size_t tokens, const filters& all) { begin(tokens, all); }
  pipeline_run(const pipeline_run&) = delete;
  pipeline_run& operator=(const pipeline_run&) = delete;

  void run() {
    const bool source_is_parallel = mode(0) == filter_mode::parallel;
    for (std::size_t item = 0; !is_over(); ++item) {
      wait_for_a_token(item);
      if (source_is_parallel) {
        create(item, 0, nullptr);
        continue;
      }
      void* next = call(0, nullptr);
      if (is_over()) break;
      if (count() > 1) create(item, 1, next);
    }
    join_rest();
    error_.rethrow();
  }

 private:
  struct step {
    pipeline_run* run;
    std::size_t item, number;
    __taskrace_future* before;  // C(item - 1, number), to be got; null: none
  };
  using block = taskrace::detail::task_block<step, void*>;

  // Creates C(item, number).
  void create(std::size_t item, std::size_t number, void* what) {
    __taskrace_future* before = future_before(number);
    __taskrace_future* mine = add_future(item, number);
    void* storage = block::storage({this, item, number, before});
    ::new (block::place(storage)) void*(what);
    __taskrace_make_future(mine, &run_step, storage);
  }
  static void run_step(void* storage) noexcept {
    const step mine = block::header(storage);
    run_filter(mine, block::body(storage));
  }
  static void run_filter(step mine, void* item) noexcept {
    pipeline_run& run = *mine.run;
    if (mine.before != nullptr) __taskrace_get(mine.before);
    void* next = run.call(mine.number, item);
    if (run.is_stopped_by(mine.number)) return;
    if (mine.number + 1 != run.count() && !run.has_failed()) {
      run.create(mine.item, mine.number + 1, next);
    }
  }
  void* call(std::size_t number, void* item) noexcept {
    const any_filter& filter = filter_at(number);
    const bool excludes = filter.mode() == filter_mode::serial_out_of_order;
    void* next = nullptr;
    if (excludes) __taskrace_lock_acquired(&filter, 0);
    TASKRACE_DETAIL_TRY { next = filter.call(item, control_); }
    TASKRACE_DETAIL_CATCH { fail(); }
    if (excludes) __taskrace_lock_released(&filter);
    return next;
  }
  void wait_for_a_token(std::size_t item) noexcept {
    if (__taskrace_future* future = token_before(item)) __taskrace_get(future);
  }
  // The last tasks of all items: what is before them in their items precedes them.
  void join_rest() noexcept {
    for (std::size_t k = 0; k != items(); ++k) {
      if (__taskrace_future* last = last_of(k)) __taskrace_get(last);
    }
    end();
  }

  // The bookkeeping.
  struct item_futures {
    __taskrace_future* last = nullptr;      // of the last filter that it has reached
    __taskrace_future* in_order = nullptr;  // of the last filter that is serial_in_order
  };
  TASKRACE_NO_INSTRUMENT void begin(std::size_t tokens, const filters& all) {
    tokens_ = tokens == 0 ? 1 : tokens;
    filters_ = &all;
    before_ = new __taskrace_future*[all.size()]();
    last_in_order_ = 0;
    for (std::size_t k = 0; k != all.size(); ++k) {
      if (all[k]->mode() == filter_mode::serial_in_order) last_in_order_ = k;
    }
    has_failed_ = false;
    capacity_ = items_ = 0;
    of_items_ = nullptr;
    error_.begin();
  }
  TASKRACE_NO_INSTRUMENT void end() noexcept {
    while (all_futures_ != nullptr) {
      kept* one = all_futures_;
      all_futures_ = one->next;
      __taskrace_state_free(one);
    }
    delete[] before_;
    std::free(of_items_);
  }
  TASKRACE_NO_INSTRUMENT filter_mode mode(std::size_t number) const {
    return (*filters_)[number]->mode();
  }
  TASKRACE_NO_INSTRUMENT const any_filter& filter_at(std::size_t number) const {
    return *(*filters_)[number];
  }
  TASKRACE_NO_INSTRUMENT std::size_t count() const noexcept { return filters_->size(); }
  TASKRACE_NO_INSTRUMENT bool is_over() const noexcept {
    return has_failed_ || control_.is_pipeline_stopped();
  }
  TASKRACE_NO_INSTRUMENT bool has_failed() const noexcept { return has_failed_; }
  TASKRACE_NO_INSTRUMENT bool is_stopped_by(std::size_t number) const noexcept {
    return number == 0 && control_.is_pipeline_stopped();
  }
  TASKRACE_NO_INSTRUMENT void fail() noexcept {
    error_.keep();
    has_failed_ = true;
  }
  TASKRACE_NO_INSTRUMENT __taskrace_future* future_before(std::size_t number) const {
    return mode(number) == filter_mode::serial_in_order ? before_[number] : nullptr;
  }
  TASKRACE_NO_INSTRUMENT __taskrace_future* add_future(std::size_t item, std::size_t number) {
    auto* made = ::new (__taskrace_state_storage(sizeof(kept), alignof(kept))) kept{};
    made->next = all_futures_;
    all_futures_ = made;
    before_[number] = &made->future;
    if (item >= capacity_) {
      capacity_ = item < 64 ? 128 : 2 * item;
      // Not realloc, which counts as accesses of the program.
      auto* larger = static_cast<item_futures*>(std::malloc(capacity_ * sizeof(item_futures)));
      if (larger == nullptr) std::abort();
      for (std::size_t k = 0; k != items_; ++k) larger[k] = of_items_[k];
      std::free(of_items_);
      of_items_ = larger;
    }
    for (; items_ <= item; ++items_) of_items_[items_] = item_futures{};
    of_items_[item].last = &made->future;
    if (number == last_in_order_) of_items_[item].in_order = &made->future;
    return &made->future;
  }
  TASKRACE_NO_INSTRUMENT __taskrace_future* token_before(std::size_t item) const {
    if (item < tokens_ || item - tokens_ >= items_) return nullptr;
    const item_futures& left = of_items_[item - tokens_];
    if (tokens_ == 1) return left.last;
    return mode(0) == filter_mode::serial_in_order ? left.in_order : nullptr;
  }
  TASKRACE_NO_INSTRUMENT std::size_t items() const noexcept { return items_; }
  TASKRACE_NO_INSTRUMENT __taskrace_future* last_of(std::size_t item) const noexcept {
    return of_items_[item].last;
  }

  struct kept {
    __taskrace_future future;
    kept* next;
  };
  std::size_t tokens_;
  const filters* filters_;
  __taskrace_future** before_;  // of each filter, the task of the item before
  std::size_t last_in_order_;
  item_futures* of_items_;
  std::size_t items_, capacity_;
  kept* all_futures_ = nullptr;
  flow_control control_;
  bool has_failed_;
  taskrace::detail::first_error error_;
};

inline void parallel_pipeline(std::size_t max_number_of_live_tokens,
                              const filter<void, void>& chain) {
  taskrace1::run_in_own_context(
      [&] { pipeline_run(max_number_of_live_tokens, chain.all()).run(); });
}
inline void parallel_pipeline(std::size_t max_number_of_live_tokens,
                              const filter<void, void>& chain, task_group_context& context) {
  taskrace1::run_in(context, [&] { pipeline_run(max_number_of_live_tokens, chain.all()).run(); });
}
template <class First, class Second, class... Rest>
void parallel_pipeline(std::size_t max_number_of_live_tokens, const First& first,
                       const Second& second, const Rest&... rest) {
  taskrace1::parallel_pipeline(max_number_of_live_tokens, first & second, rest...);
}

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::filter;
using detail::filter_mode;
using detail::flow_control;
using detail::make_filter;
using detail::parallel_pipeline;
}  // namespace v1
}  // namespace tbb

#endif

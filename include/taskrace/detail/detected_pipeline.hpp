// Pipelines in the detection build: a two-dimensional lattice of forked tasks.
//
// C(i, s), item i in stage s, is a task of its own. The caller M runs the source and forks
// C(i, 0); C(i, s) forks C(i, s + 1) as its last act, with the item in the new task's storage. A
// task is put to the left of the one that forks it, so the line of tasks reads, from left to right,
//     ... C(i-1, 1), C(i-1, 0), C(i, s), ..., C(i, 1), C(i, 0), M
// and only the left neighbour may be joined:
//   - a serial C(i, t) first joins C(i-1, s) for all s after the serial stage before t, up to t, in
//     this order. Those before t are parallel stages; they precede C(i-1, t), so that their joins
//     order nothing that the last one does not.
//   - M, at the end, joins what is left of the last item, stage by stage, and then of each item
//     before it: the stages after the last serial one, which nobody else joins.
// A task that is joined before C(i-1, t) has ended, so it has forked the next one to be joined.
//
// An exception ends its item: the tasks of its later stages do nothing but their joins.
//
// Thread rule: as hooks.h. Cost: a task a stage and item; 24 bytes each for the tasks that can
// still be joined, i.e. those of two items (more only where tasks wait for promises), and of all
// items in the stages after the last serial one.
#ifndef TASKRACE_DETAIL_DETECTED_PIPELINE_HPP
#define TASKRACE_DETAIL_DETECTED_PIPELINE_HPP

#include <taskrace/annotate.h>
#include <taskrace/hooks.h>

#include <cstddef>
#include <optional>
#include <taskrace/detail/detected.hpp>
#include <taskrace/detail/pipeline_stages.hpp>
#include <tuple>
#include <utility>

namespace taskrace {
namespace detail {
inline namespace detected {

// The tasks of one item in some of the stages, `count` of them.
template <std::size_t count>
struct item_forks {
  item_forks* before;  // of the item before it
  __taskrace_future of[count == 0 ? 1 : count];

  TASKRACE_NO_INSTRUMENT explicit item_forks(item_forks* before) noexcept : before(before), of{} {}
};

template <class Source, class... Stages>
class pipeline_tasks {
  using stages = pipeline_stages<Source, Stages...>;
  template <std::size_t stage>
  using item = typename stages::template item<stage>;
  static constexpr std::size_t count = stages::count, leading = stages::leading;
  using leading_forks = item_forks<leading>;
  using trailing_forks = item_forks<count - leading>;

  // What a task knows, small enough for registers: up to the last serial stage the forks are
  // leading_forks, then trailing_forks.
  struct item_tasks {
    pipeline_tasks* pipeline;
    void* forks;
  };
  template <std::size_t stage>
  using block = task_block<item_tasks, std::optional<item<stage>>>;

 public:
  TASKRACE_NO_INSTRUMENT explicit pipeline_tasks(std::tuple<Stages&...> functions) noexcept
      : functions_(functions), last_(nullptr), trailing_(nullptr), failed_(false) {
    error_.begin();
  }
  pipeline_tasks(const pipeline_tasks&) = delete;
  pipeline_tasks& operator=(const pipeline_tasks&) = delete;

  // Runs it all.
  void run(Source& source) {
    TASKRACE_DETAIL_TRY {
      while (!failed() && start(source)) continue;
    }
    TASKRACE_DETAIL_CATCH { fail(); }
    join_rest();
    error_.rethrow();
  }

 private:
  // Asks for an item and forks its first task; false if there is none.
  bool start(Source& source) {
    std::optional<item<0>> next = source();
    if (!next) return false;
    fork<0>(begin_item(), next);
    return true;
  }

  // Moves the item into a new task. Nothing of it is left here when the task begins.
  template <std::size_t stage>
  static void fork(item_tasks tasks, std::optional<item<stage>>& next) noexcept {
    void* storage = block<stage>::storage(tasks);
    move_item<stage>(tasks, block<stage>::place(storage), next);
    next.reset();
    __taskrace_stage(fork_of<stage>(tasks), &run_stage<stage>, storage);
  }
  template <std::size_t stage>
  static void move_item(item_tasks tasks, void* place, std::optional<item<stage>>& next) noexcept {
    TASKRACE_DETAIL_TRY { ::new (place) std::optional<item<stage>>(std::move(next)); }
    TASKRACE_DETAIL_CATCH {
      fail_of(tasks);
      ::new (place) std::optional<item<stage>>();
    }
  }

  // C(i, stage)
  template <std::size_t stage>
  static void run_stage(void* storage) noexcept {
    using Item = std::optional<item<stage>>;
    item_tasks tasks = block<stage>::header(storage);
    Item& now = block<stage>::body(storage);
    if constexpr (stages::in_order[stage]) {
      join_item_before<stage, stages::after_serial(stage)>(tasks);
      if constexpr (stage + 1 == leading) free_item_before(tasks);
    }
    auto& function = function_of<stage>(tasks);
    if constexpr (stage + 1 == count) {
      if (now) {
        TASKRACE_DETAIL_TRY { detail::call_last_stage(function, *now); }
        TASKRACE_DETAIL_CATCH { fail_of(tasks); }
      }
      now.~Item();
    } else {
      std::optional<item<stage + 1>> next;
      if (now) {
        TASKRACE_DETAIL_TRY { detail::call_stage(function, *now, next); }
        TASKRACE_DETAIL_CATCH { fail_of(tasks); }
      }
      now.~Item();
      if constexpr (stage + 1 == leading) tasks = begin_trailing(tasks);
      fork<stage + 1>(tasks, next);
    }
  }

  // Joins C(i-1, joined) up to C(i-1, stage).
  template <std::size_t stage, std::size_t joined>
  static void join_item_before(item_tasks tasks) noexcept {
    if (!has_item_before(tasks)) return;
    __taskrace_join(fork_before(tasks, joined));
    if constexpr (joined != stage) join_item_before<stage, joined + 1>(tasks);
  }

  // M, when the source has ended.
  void join_rest() noexcept {
    if (has_items_to_join()) {
      for (std::size_t stage = 0; stage != leading; ++stage) __taskrace_join(last_fork(stage));
    }
    for (; has_trailing(); pop_trailing()) {
      for (std::size_t k = 0; k != count - leading; ++k) __taskrace_join(trailing_fork(k));
    }
    free_last();
  }

  // The bookkeeping.
  TASKRACE_NO_INSTRUMENT bool failed() const noexcept { return failed_; }
  TASKRACE_NO_INSTRUMENT void fail() noexcept {
    error_.keep();
    failed_ = true;
  }
  TASKRACE_NO_INSTRUMENT static void fail_of(item_tasks tasks) noexcept { tasks.pipeline->fail(); }

  TASKRACE_NO_INSTRUMENT item_tasks begin_item() {
    if constexpr (leading == 0) return begin_trailing({this, nullptr});
    last_ = new leading_forks(last_);
    return {this, last_};
  }
  // What comes after the last serial stage outlives the forks of the stages before.
  TASKRACE_NO_INSTRUMENT static item_tasks begin_trailing(item_tasks tasks) {
    pipeline_tasks* pipeline = tasks.pipeline;
    pipeline->trailing_ = new trailing_forks(pipeline->trailing_);
    return {pipeline, pipeline->trailing_};
  }
  template <std::size_t stage>
  TASKRACE_NO_INSTRUMENT static __taskrace_future* fork_of(item_tasks tasks) noexcept {
    if constexpr (stage < leading) {
      return &static_cast<leading_forks*>(tasks.forks)->of[stage];
    } else {
      return &static_cast<trailing_forks*>(tasks.forks)->of[stage - leading];
    }
  }
  TASKRACE_NO_INSTRUMENT static bool has_item_before(item_tasks tasks) noexcept {
    return static_cast<leading_forks*>(tasks.forks)->before != nullptr;
  }
  TASKRACE_NO_INSTRUMENT static __taskrace_future* fork_before(item_tasks tasks,
                                                               std::size_t stage) noexcept {
    return &static_cast<leading_forks*>(tasks.forks)->before->of[stage];
  }
  TASKRACE_NO_INSTRUMENT static void free_item_before(item_tasks tasks) noexcept {
    auto* forks = static_cast<leading_forks*>(tasks.forks);
    delete forks->before;
    forks->before = nullptr;
  }
  template <std::size_t stage>
  TASKRACE_NO_INSTRUMENT static auto& function_of(item_tasks tasks) noexcept {
    return std::get<stage>(tasks.pipeline->functions_);
  }

  TASKRACE_NO_INSTRUMENT bool has_items_to_join() const noexcept { return last_ != nullptr; }
  TASKRACE_NO_INSTRUMENT __taskrace_future* last_fork(std::size_t stage) noexcept {
    return &last_->of[stage];
  }
  TASKRACE_NO_INSTRUMENT void free_last() noexcept { delete last_; }
  TASKRACE_NO_INSTRUMENT bool has_trailing() const noexcept { return trailing_ != nullptr; }
  TASKRACE_NO_INSTRUMENT __taskrace_future* trailing_fork(std::size_t k) noexcept {
    return &trailing_->of[k];
  }
  TASKRACE_NO_INSTRUMENT void pop_trailing() noexcept {
    trailing_forks* joined = trailing_;
    trailing_ = joined->before;
    delete joined;
  }

  std::tuple<Stages&...> functions_;
  leading_forks* last_;       // of the last item
  trailing_forks* trailing_;  // of the last item that got so far
  first_error error_;
  bool failed_;
};

template <class Source, class... Stages>
void pipeline(Source& source, Stages&... stages) {
  pipeline_tasks<Source, Stages...>(std::tie(stages...)).run(source);
}

}  // namespace detected
}  // namespace detail
}  // namespace taskrace

#endif

// Pipelines in the ordinary build. tbb::parallel_pipeline waits on top of its caller's stack, which
// futures do not allow (on_tbb_suspension.hpp); so this one is of our own tasks.
//
// An item is a task that goes through the stages as far as it can. At a serial stage where it is
// not its turn it is parked and the task ends; whoever leaves the stage starts the next one, if
// that is parked there. The caller runs the source, and waits while `most` items are under way and
// at least one of them can go on: items that all wait may wait for one that is still to come.
//
// Thread rule: the mutexes guard what they stand next to; an item is used by one task at a time.
// Cost: an item one block on the heap and one task, one more each time it was parked; a serial
// stage two locks.
#ifndef TASKRACE_DETAIL_ON_TBB_PIPELINE_HPP
#define TASKRACE_DETAIL_ON_TBB_PIPELINE_HPP

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <queue>
#include <taskrace/detail/exceptions.hpp>
#include <taskrace/detail/on_tbb.hpp>
#include <taskrace/detail/on_tbb_suspension.hpp>
#include <taskrace/detail/pipeline_stages.hpp>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace taskrace {
namespace detail {
inline namespace on_tbb {

// How many items are under way, and how many of them can go on. The source waits for room.
class items_under_way {
 public:
  items_under_way() : most_(std::max(16, 4 * tbb::this_task_arena::max_concurrency())) {}

  void begin() {
    std::lock_guard<std::mutex> lock(mutex_);
    ++all_;
    ++able_;
  }
  void end() noexcept {
    change([this] { --all_, --able_; });
  }
  // It waits, or is parked; it goes on.
  void stop() noexcept {
    change([this] { --able_; });
  }
  void go_on() noexcept {
    std::lock_guard<std::mutex> lock(mutex_);
    ++able_;
  }

  // The caller's only: waits until an item may begin.
  void wait_for_room() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (all_ < most_ || able_ == 0) return;
    }
    suspension::suspend(
        [this](suspended_task source) { change([this, source] { source_ = source; }); });
  }

 private:
  // Half empty before the source goes on: one suspension for many items.
  template <class Change>
  void change(Change make_change) noexcept {
    suspended_task resumed;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      make_change();
      if (all_ <= most_ / 2 || able_ == 0) resumed = std::exchange(source_, {});
    }
    if (resumed.point != nullptr) suspension::resume(resumed);
  }

  const int most_;
  std::mutex mutex_;
  int all_ = 0, able_ = 0;
  suspended_task source_;  // while it waits for room
};

template <class Source, class Numbers, class... Stages>
class pipeline_tasks;

template <class Source, std::size_t... numbers, class... Stages>
class pipeline_tasks<Source, std::index_sequence<numbers...>, Stages...> {
  using stages = pipeline_stages<Source, Stages...>;
  static constexpr std::size_t count = stages::count;

  struct item {
    std::size_t number;
    // What stage s takes is alternative s + 1. The first one, or none: an exception ended the item.
    std::variant<std::monostate, typename stages::template item<numbers>...> value;
  };

  // Lets items through one at a time, by number.
  class turnstile {
   public:
    // True if the stage is free for this item; otherwise the item is parked.
    bool enter(item* arrived) {
      std::lock_guard<std::mutex> lock(mutex_);
      if (arrived->number == next_) return true;
      parked_.push(arrived);
      return false;
    }
    // Who may enter next, if it is parked already.
    item* leave() noexcept {
      std::lock_guard<std::mutex> lock(mutex_);
      ++next_;
      if (parked_.empty() || parked_.top()->number != next_) return nullptr;
      item* first = parked_.top();
      parked_.pop();
      return first;
    }

   private:
    struct later {
      bool operator()(const item* a, const item* b) const { return a->number > b->number; }
    };
    std::mutex mutex_;
    std::size_t next_ = 0;
    std::priority_queue<item*, std::vector<item*>, later> parked_;
  };

  // While an item's task runs.
  class item_watcher final : public watcher {
   public:
    explicit item_watcher(items_under_way& items) noexcept : items_(items) {}

   private:
    void waits() noexcept override { items_.stop(); }
    void goes_on() noexcept override { items_.go_on(); }
    items_under_way& items_;
  };

 public:
  explicit pipeline_tasks(Stages&... functions) : functions_(functions...) {}

  void run(Source& source) {
    finish_ = context().finish;
    TASKRACE_DETAIL_TRY {
      for (std::size_t number = 0; !failed_.load(std::memory_order_relaxed); ++number) {
        auto first = source();
        if (!first) break;
        auto* begun = new item{number, {}};
        put<0>(*begun, std::move(*first));
        under_way_.begin();
        tasks_.run([this, begun] { go_through<0>(begun); }, finish_, true);
        under_way_.wait_for_room();
      }
    }
    TASKRACE_DETAIL_CATCH { fail(); }
    tasks_.wait();
    tasks_.error.rethrow();
  }

 private:
  void fail() noexcept {
    tasks_.error.keep();
    failed_.store(true, std::memory_order_relaxed);
  }

  template <std::size_t stage, class Value>
  void put(item& moved, Value&& value) noexcept {
    TASKRACE_DETAIL_TRY { moved.value.template emplace<stage + 1>(std::forward<Value>(value)); }
    TASKRACE_DETAIL_CATCH {
      fail();
      moved.value.template emplace<0>();
    }
  }

  // The task of an item, from a stage on.
  template <std::size_t stage>
  void go_through(item* moved) noexcept {
    item_watcher watches(under_way_);
    if (through_stage<stage>(moved)) {
      delete moved;
      under_way_.end();
    }
  }
  template <std::size_t stage>
  void go_on_inside(item* moved) noexcept {
    item_watcher watches(under_way_);
    if (inside_stage<stage>(moved)) {
      delete moved;
      under_way_.end();
    }
  }

  // True if it got to the end; otherwise it is parked, or was taken over.
  template <std::size_t stage>
  bool through_stage(item* moved) {
    if constexpr (stages::in_order[stage]) {
      if (!std::get<stage>(turnstiles_).enter(moved)) {
        under_way_.stop();
        return false;
      }
    }
    return inside_stage<stage>(moved);
  }
  template <std::size_t stage>
  bool inside_stage(item* moved) {
    call<stage>(*moved);
    if constexpr (stages::in_order[stage]) {
      if (item* next = std::get<stage>(turnstiles_).leave()) {
        under_way_.go_on();
        tasks_.run([this, next] { go_on_inside<stage>(next); }, finish_, true);
      }
    }
    if constexpr (stage + 1 == count) {
      return true;
    } else {
      return through_stage<stage + 1>(moved);
    }
  }
  template <std::size_t stage>
  void call(item& moved) noexcept {
    auto* value = std::get_if<stage + 1>(&moved.value);
    if (value == nullptr) return;
    auto& function = std::get<stage>(functions_);
    TASKRACE_DETAIL_TRY {
      if constexpr (stage + 1 == count) {
        detail::call_last_stage(function, *value);
        moved.value.template emplace<0>();
      } else {
        std::optional<typename stages::template item<stage + 1>> next;
        detail::call_stage(function, *value, next);
        put<stage + 1>(moved, std::move(*next));
      }
    }
    TASKRACE_DETAIL_CATCH {
      fail();
      moved.value.template emplace<0>();
    }
  }

  std::tuple<Stages&...> functions_;
  std::array<turnstile, count> turnstiles_;
  items_under_way under_way_;
  group tasks_;
  group* finish_ = nullptr;
  std::atomic<bool> failed_{false};
};

template <class Source, class... Stages>
void pipeline(Source& source, Stages&... stages) {
  on_tbb::need_suspension<std::tuple<Source, Stages...>>();
  pipeline_tasks<Source, std::index_sequence_for<Stages...>, Stages...>(stages...).run(source);
}

}  // namespace on_tbb
}  // namespace detail
}  // namespace taskrace

#endif

// parallel_for_each of oneTBB: every item is an iteration or a task, and so is every item that a feeder adds.
#pragma GCC system_header
#ifndef TASKRACE_TBB_PARALLEL_FOR_EACH_H
#define TASKRACE_TBB_PARALLEL_FOR_EACH_H

#include <cstddef>
#include <iterator>
#include <taskrace/detail/detected.hpp>
#include <taskrace/detail/tbb/context.hpp>
#include <taskrace/detail/tbb/leaves.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// Takes more items while the body runs.
template <class Item>
class feeder {
 public:
  feeder(const feeder&) = delete;
  feeder& operator=(const feeder&) = delete;

  void add(const Item& item) { add_copy(item); }
  void add(Item&& item) { add_moved(std::move(item)); }

 protected:
  feeder() = default;
  ~feeder() = default;

 private:
  virtual void add_copy(const Item& item) = 0;
  virtual void add_moved(Item&& item) = 0;
};

template <class Body, class Item, class Argument>
constexpr bool takes_feeder = std::is_invocable_v<const Body&, Argument, feeder<Item>&>;

// An item of the loop, and those that it adds: each is an async of the finish around the loop.
template <class Body, class Item>
class fed_items final : public feeder<Item> {
 public:
  explicit fed_items(const Body& body) : body_(body) {}

  template <class From>
  void start(From&& item) {
    taskrace::detail::async(
        [mine = Item(std::forward<From>(item)), this]() mutable { call(std::move(mine)); });
  }
  // For an item that stays where it is.
  template <class Reference>
  void start_in_place(Reference& item) {
    taskrace::detail::async([&item, this] { call(item); });
  }

 private:
  template <class Argument>
  void call(Argument&& item) {
    if constexpr (takes_feeder<Body, Item, Argument&&>) {
      body_(std::forward<Argument>(item), static_cast<feeder<Item>&>(*this));
    } else {
      body_(item, static_cast<feeder<Item>&>(*this));
    }
  }
  void add_copy(const Item& item) override { start(item); }
  void add_moved(Item&& item) override { start(std::move(item)); }

  const Body& body_;
};

template <class Iterator, class Body>
void for_each_item(Iterator first, Iterator last, const Body& body) {
  using Traits = std::iterator_traits<Iterator>;
  using Item = std::decay_t<typename Traits::value_type>;
  using Reference = typename Traits::reference;
  constexpr bool stays =
      std::is_base_of_v<std::forward_iterator_tag, typename Traits::iterator_category> &&
      std::is_lvalue_reference_v<Reference>;
  if constexpr (takes_feeder<Body, Item, Reference> || takes_feeder<Body, Item, Item&&> ||
                takes_feeder<Body, Item, Item&>) {
    fed_items<Body, Item> items(body);
    auto start = [&] {
      for (; first != last; ++first) {
        if constexpr (stays) {
          items.start_in_place(*first);
        } else {
          items.start(*first);
        }
      }
    };
    taskrace::detail::finish(start);
  } else if constexpr (is_index<Iterator> && stays) {
    taskrace::detail::for_each(taskrace1::unwrapped_range(first, last),
                               [&body](auto index) { body(*unwrapped<Iterator>::wrap(index)); });
  } else {
    taskrace::detail::nested_tasks tasks;
    for (; first != last; ++first) {
      if constexpr (stays) {
        tasks.spawn([&item = *first, &body] { body(item); });
      } else {
        tasks.spawn([item = Item(*first), &body]() mutable {
          if constexpr (std::is_invocable_v<const Body&, Item&&>) {
            body(std::move(item));
          } else {
            body(item);
          }
        });
      }
    }
    tasks.sync();
  }
}

template <class Iterator, class Body>
void parallel_for_each(Iterator first, Iterator last, const Body& body) {
  taskrace1::run_in_own_context([&] { taskrace1::for_each_item(first, last, body); });
}
template <class Iterator, class Body>
void parallel_for_each(Iterator first, Iterator last, const Body& body,
                       task_group_context& context) {
  taskrace1::run_in(context, [&] { taskrace1::for_each_item(first, last, body); });
}
template <class Range, class Body>
void parallel_for_each(Range& range, const Body& body) {
  taskrace1::parallel_for_each(std::begin(range), std::end(range), body);
}
template <class Range, class Body>
void parallel_for_each(const Range& range, const Body& body) {
  taskrace1::parallel_for_each(std::begin(range), std::end(range), body);
}
template <class Range, class Body>
void parallel_for_each(Range& range, const Body& body, task_group_context& context) {
  taskrace1::parallel_for_each(std::begin(range), std::end(range), body, context);
}
template <class Range, class Body>
void parallel_for_each(const Range& range, const Body& body, task_group_context& context) {
  taskrace1::parallel_for_each(std::begin(range), std::end(range), body, context);
}

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::feeder;
using detail::parallel_for_each;
}  // namespace v1
}  // namespace tbb

#endif

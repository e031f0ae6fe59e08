// The stages of a pipeline as types: what they take, what they give, which of them are serial.
//
// Everything here is known when the program is compiled. Thread rule: none. Cost: none.
#ifndef TASKRACE_DETAIL_PIPELINE_STAGES_HPP
#define TASKRACE_DETAIL_PIPELINE_STAGES_HPP

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace taskrace {
namespace detail {

// A callable, called for one item at a time, in the order of the items.
template <class Function>
struct serial_stage {
  static constexpr bool in_order = true;
  using callable = Function&;
  Function function;
};
// A callable, called for several items at once.
template <class Function>
struct parallel_stage {
  static constexpr bool in_order = false;
  using callable = const Function&;
  Function function;
};

template <class Optional>
struct item_of {
  static constexpr bool is_optional = false;
};
template <class Item>
struct item_of<std::optional<Item>> {
  static constexpr bool is_optional = true;
  using type = Item;
};

// What stage number `stage` takes, for a source that gives `First`.
template <std::size_t stage, class First, class... Stages>
struct item_at {
  using stage_before = std::tuple_element_t<stage - 1, std::tuple<Stages...>>;
  using item_before = typename item_at<stage - 1, First, Stages...>::type;
  static_assert(std::is_invocable_v<typename stage_before::callable, item_before>,
                "taskrace: a stage of a pipeline takes what the one before it returns "
                "(and a parallel stage is called as const)");
  using returned = std::invoke_result_t<typename stage_before::callable, item_before>;
  static_assert(stage == sizeof...(Stages) || !std::is_void_v<returned>,
                "taskrace: only the last stage of a pipeline may return nothing");
  using type = std::decay_t<returned>;
};
template <class First, class... Stages>
struct item_at<0, First, Stages...> {
  using type = First;
};

template <class Source, class... Stages>
struct pipeline_stages {
  using source_result = std::decay_t<std::invoke_result_t<Source&>>;
  static_assert(item_of<source_result>::is_optional,
                "taskrace: the source of a pipeline returns a std::optional, empty at the end");

  static constexpr std::size_t count = sizeof...(Stages);
  static_assert(count > 0, "taskrace: a pipeline needs at least one stage");

  // What stage number `stage` takes; `count`: what the last one returns.
  template <std::size_t stage>
  using item = typename item_at<stage, typename item_of<source_result>::type, Stages...>::type;
  // Named here, so that every stage is checked in every build.
  using last_result = item<count>;

  static constexpr bool in_order[count] = {Stages::in_order...};
  // The stages before this number are those up to the last serial one.
  static constexpr std::size_t leading = [] {
    std::size_t end = 0;
    for (std::size_t stage = 0; stage != count; ++stage) {
      if (in_order[stage]) end = stage + 1;
    }
    return end;
  }();
  // The first stage after the serial one before `stage`.
  static constexpr std::size_t after_serial(std::size_t stage) {
    while (stage != 0 && !in_order[stage - 1]) --stage;
    return stage;
  }
};

// Calls the stage for the item; if that is not the last one, puts what it returns in `next`.
template <class Stage, class Item, class Next>
void call_stage(Stage& stage, Item& item, std::optional<Next>& next) {
  next.emplace(static_cast<typename Stage::callable>(stage.function)(std::move(item)));
}
template <class Stage, class Item>
void call_last_stage(Stage& stage, Item& item) {
  static_cast<typename Stage::callable>(stage.function)(std::move(item));
}

}  // namespace detail
}  // namespace taskrace

#endif

// Pipelines in the plain build: one item after the other, each through all stages.
//
// Thread rule: one thread. Cost: the user's calls.
#ifndef TASKRACE_DETAIL_ELIDED_PIPELINE_HPP
#define TASKRACE_DETAIL_ELIDED_PIPELINE_HPP

#include <taskrace/detail/elided.hpp>
#include <taskrace/detail/pipeline_stages.hpp>
#include <utility>

namespace taskrace {
namespace detail {
inline namespace elided {

template <class Item, class Stage, class... Stages>
void through_stages(Item& item, Stage& stage, Stages&... stages) {
  auto& function = static_cast<typename Stage::callable>(stage.function);
  if constexpr (sizeof...(Stages) == 0) {
    function(std::move(item));
  } else {
    auto next = function(std::move(item));
    elided::through_stages(next, stages...);
  }
}

template <class Source, class... Stages>
void pipeline(Source& source, Stages&... stages) {
  static_assert(pipeline_stages<Source, Stages...>::count == sizeof...(Stages));
  while (auto item = source()) elided::through_stages(*item, stages...);
}

}  // namespace elided
}  // namespace detail
}  // namespace taskrace

#endif

// parallel_invoke of oneTBB: every function is a task.
#pragma GCC system_header
#ifndef TASKRACE_TBB_PARALLEL_INVOKE_H
#define TASKRACE_TBB_PARALLEL_INVOKE_H

#include <cstddef>
#include <taskrace/detail/tbb/context.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <taskrace/tasks.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class... Functions>
void invoke_all(Functions&... functions) {
  taskrace::detail::nested_tasks tasks;
  (tasks.spawn([&functions] { functions(); }), ...);
  tasks.sync();
}

template <std::size_t... of_functions, class Arguments>
void invoke_but_last(std::index_sequence<of_functions...>, const Arguments& arguments) {
  taskrace1::run_in(std::get<sizeof...(of_functions)>(arguments),
                    [&] { taskrace1::invoke_all(std::get<of_functions>(arguments)...); });
}

// The last argument may be a context.
template <class... Functions>
void parallel_invoke(Functions&&... functions) {
  static_assert(sizeof...(Functions) >= 2, "parallel_invoke takes two functions or more");
  using Last = std::tuple_element_t<sizeof...(Functions) - 1, std::tuple<Functions...>>;
  if constexpr (std::is_same_v<std::decay_t<Last>, task_group_context>) {
    taskrace1::invoke_but_last(std::make_index_sequence<sizeof...(Functions) - 1>(),
                               std::tie(functions...));
  } else {
    taskrace1::run_in_own_context([&] { taskrace1::invoke_all(functions...); });
  }
}

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::parallel_invoke;
}  // namespace v1
}  // namespace tbb

#endif

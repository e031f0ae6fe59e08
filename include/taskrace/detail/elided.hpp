// The plain build of <taskrace/tasks.hpp> (TASKRACE_SERIAL): every construct is an ordinary call.
//
// No state, no thread rule, no cost: after inlining nothing is left but the user's calls. A
// callable that is passed as an lvalue is still copied, as in the other builds.
#ifndef TASKRACE_DETAIL_ELIDED_HPP
#define TASKRACE_DETAIL_ELIDED_HPP

#include <cstddef>
#include <taskrace/detail/index_range.hpp>
#include <type_traits>

#define TASKRACE_DETAIL_BUILD elided

namespace taskrace {
namespace detail {
inline namespace elided {

template <class F>
void call(F&& function) {
  if constexpr (std::is_lvalue_reference_v<F>) {
    std::decay_t<F> copy(function);
    copy();
  } else {
    function();
  }
}

class scope_tasks {
 public:
  scope_tasks() noexcept {}
  ~scope_tasks() {}
  scope_tasks(const scope_tasks&) = delete;
  scope_tasks& operator=(const scope_tasks&) = delete;

  template <class F>
  void spawn(F&& function) {
    elided::call<F>(static_cast<F&&>(function));
  }
  void sync() {}
};

// Those of an algorithm of ours.
using nested_tasks = scope_tasks;

template <class Function>
void finish(Function& function) {
  function();
}

template <class F>
void async(F&& function) {
  elided::call<F>(static_cast<F&&>(function));
}

template <class Index, class Function>
void for_each(index_range<Index> range, const Function& function) {
  for (std::size_t k = 0; k != range.count; ++k) function(range[k]);
}

template <class Index, class Function>
void for_chunks(index_range<Index> range, std::size_t, const Function& function) {
  elided::for_each(range, function);
}

template <class Index, class Function>
void for_at_most(index_range<Index> range, std::size_t, const Function& function) {
  elided::for_each(range, function);
}

inline std::size_t this_worker() noexcept { return 0; }
inline std::size_t max_workers() noexcept { return 1; }

}  // namespace elided
}  // namespace detail
}  // namespace taskrace

#endif

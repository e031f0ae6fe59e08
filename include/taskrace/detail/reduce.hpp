// The tree of parallel_reduce, the same in every build. Included after the build's nested_tasks.
//
// Thread rule: none of its own. Cost: one scope, one task and one combination per inner node.
#ifndef TASKRACE_DETAIL_REDUCE_HPP
#define TASKRACE_DETAIL_REDUCE_HPP

#include <cstddef>
#include <optional>
#include <taskrace/detail/index_range.hpp>
#include <utility>

namespace taskrace {
namespace detail {
inline namespace TASKRACE_DETAIL_BUILD {

// The value of the subtree over the `count` indices from number `begin`. Requires: count > 0.
template <class Index, class Value, class Function, class Reduction>
Value reduce(const index_range<Index>& range, std::size_t begin, std::size_t count,
             std::size_t grain, const Value& identity, const Function& function,
             const Reduction& reduction) {
  if (count <= grain) {
    using Range = index_range<Index>;
    return function(Range::bound(range.first, begin), Range::bound(range.first, begin + count),
                    Value(identity));
  }
  const std::size_t half = count / 2;
  std::optional<Value> left;
  nested_tasks tasks;
  tasks.spawn([&, begin, half] {
    left.emplace(detail::reduce(range, begin, half, grain, identity, function, reduction));
  });
  Value right =
      detail::reduce(range, begin + half, count - half, grain, identity, function, reduction);
  tasks.sync();
  return reduction(std::move(*left), std::move(right));
}

}  // namespace TASKRACE_DETAIL_BUILD
}  // namespace detail
}  // namespace taskrace

#endif

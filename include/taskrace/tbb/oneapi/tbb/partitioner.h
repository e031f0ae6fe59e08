// How oneTBB divides a range. Under detection a partitioner only says which leaves there can be
// (taskrace/detail/tbb/leaves.hpp).
#pragma GCC system_header
#ifndef TASKRACE_TBB_PARTITIONER_H
#define TASKRACE_TBB_PARTITIONER_H

#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

class simple_partitioner {};
class auto_partitioner {};
class static_partitioner {};
class affinity_partitioner {
 public:
  affinity_partitioner() = default;
  affinity_partitioner(const affinity_partitioner&) = delete;
  affinity_partitioner& operator=(const affinity_partitioner&) = delete;
};

// Can the partitioner cut a range at every index, for some number of threads?
template <class Partitioner>
constexpr bool cuts_anywhere = std::is_same_v<std::decay_t<Partitioner>, static_partitioner> ||
                               std::is_same_v<std::decay_t<Partitioner>, affinity_partitioner>;
template <class Partitioner>
constexpr bool is_partitioner =
    cuts_anywhere<Partitioner> || std::is_same_v<std::decay_t<Partitioner>, simple_partitioner> ||
    std::is_same_v<std::decay_t<Partitioner>, auto_partitioner>;
// For overloads: a partitioner as oneTBB takes it. affinity_partitioner keeps what it has learnt, and is never const.
template <class Partitioner>
using if_partitioner =
    std::enable_if_t<is_partitioner<Partitioner> &&
                     (!std::is_same_v<std::decay_t<Partitioner>, affinity_partitioner> ||
                      std::is_same_v<Partitioner, affinity_partitioner&>)>;

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::affinity_partitioner;
using detail::auto_partitioner;
using detail::simple_partitioner;
using detail::static_partitioner;
}  // namespace v1
}  // namespace tbb

#endif

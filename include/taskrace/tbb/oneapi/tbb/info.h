// What oneTBB says about the machine: the same on every machine, so that the answer is, too.
#pragma GCC system_header
#ifndef TASKRACE_TBB_INFO_H
#define TASKRACE_TBB_INFO_H

#include <cstddef>
#include <taskrace/detail/tbb/concurrency.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <vector>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

using numa_node_id = int;
using core_type_id = int;

struct arena_constraints {
  arena_constraints(numa_node_id id = -1, int maximal_concurrency = -1)
      : max_concurrency(maximal_concurrency), numa_id(id) {}
  arena_constraints& set_numa_id(numa_node_id id) {
    numa_id = id;
    return *this;
  }
  arena_constraints& set_max_concurrency(int most) {
    max_concurrency = most;
    return *this;
  }
  arena_constraints& set_core_type(core_type_id id) {
    core_type = id;
    return *this;
  }
  arena_constraints& set_max_threads_per_core(int most) {
    max_threads_per_core = most;
    return *this;
  }

  int max_concurrency;
  numa_node_id numa_id;
  core_type_id core_type = -1;
  int max_threads_per_core = -1;
};

namespace machine {
inline std::vector<numa_node_id> numa_nodes() { return {-1}; }
inline std::vector<core_type_id> core_types() { return {-1}; }
inline int default_concurrency(numa_node_id = -1) { return taskrace1::default_concurrency(); }
inline int default_concurrency(const arena_constraints& limits) {
  return limits.max_concurrency > 0 ? limits.max_concurrency : taskrace1::default_concurrency();
}
}  // namespace machine

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::core_type_id;
using detail::numa_node_id;
namespace info {
using namespace detail::machine;
}  // namespace info
}  // namespace v1
}  // namespace tbb

#endif

// collaborative_call_once of oneTBB: as std::call_once.
#pragma GCC system_header
#ifndef TASKRACE_TBB_COLLABORATIVE_CALL_ONCE_H
#define TASKRACE_TBB_COLLABORATIVE_CALL_ONCE_H

#include <mutex>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

class collaborative_once_flag {
 public:
  collaborative_once_flag() = default;
  collaborative_once_flag(const collaborative_once_flag&) = delete;
  collaborative_once_flag& operator=(const collaborative_once_flag&) = delete;

 private:
  template <class Function, class... Arguments>
  friend void collaborative_call_once(collaborative_once_flag& flag, Function&& function,
                                      Arguments&&... arguments);
  std::once_flag flag_;
};

template <class Function, class... Arguments>
void collaborative_call_once(collaborative_once_flag& flag, Function&& function,
                             Arguments&&... arguments) {
  std::call_once(flag.flag_, std::forward<Function>(function),
                 std::forward<Arguments>(arguments)...);
}

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::collaborative_call_once;
using detail::collaborative_once_flag;
}  // namespace v1
}  // namespace tbb

#endif

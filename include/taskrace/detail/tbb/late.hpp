// An object that is made later than its storage, without frames of the C++ library around its constructor.
//
// Thread rule: one task makes it, and others use it after that. Cost: none.
#ifndef TASKRACE_DETAIL_TBB_LATE_HPP
#define TASKRACE_DETAIL_TBB_LATE_HPP

#include <new>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class T>
class late {
 public:
  late() = default;
  ~late() {
    if (is_made_) (**this).~T();
  }
  late(const late&) = delete;
  late& operator=(const late&) = delete;

  template <class... Arguments>
  void make(Arguments&&... arguments) {
    ::new (static_cast<void*>(memory_)) T(std::forward<Arguments>(arguments)...);
    is_made_ = true;
  }
  // Requires: it is made.
  T& operator*() { return *std::launder(reinterpret_cast<T*>(memory_)); }

 private:
  alignas(T) unsigned char memory_[sizeof(T)];
  bool is_made_ = false;
};

}  // namespace taskrace1
}  // namespace detail
}  // namespace tbb

#endif

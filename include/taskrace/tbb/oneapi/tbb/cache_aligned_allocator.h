// cache_aligned_allocator of oneTBB: memory of malloc, in cache lines of its own.
#pragma GCC system_header
#ifndef TASKRACE_TBB_CACHE_ALIGNED_ALLOCATOR_H
#define TASKRACE_TBB_CACHE_ALIGNED_ALLOCATOR_H

#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <new>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class T>
class cache_aligned_allocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;

  cache_aligned_allocator() = default;
  template <class U>
  cache_aligned_allocator(const cache_aligned_allocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > max_size()) throw std::bad_alloc();
    void* memory = std::aligned_alloc(128, (count * sizeof(T) + 127) / 128 * 128);
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }
  static constexpr std::size_t max_size() noexcept { return (~std::size_t{0} >> 1) / sizeof(T); }

  friend bool operator==(const cache_aligned_allocator&, const cache_aligned_allocator&) noexcept {
    return true;
  }
  friend bool operator!=(const cache_aligned_allocator&, const cache_aligned_allocator&) noexcept {
    return false;
  }
};

// Rounds what it takes from another resource up to whole cache lines.
class cache_aligned_resource : public std::pmr::memory_resource {
 public:
  cache_aligned_resource() : upstream_(std::pmr::get_default_resource()) {}
  explicit cache_aligned_resource(std::pmr::memory_resource* upstream) : upstream_(upstream) {}
  std::pmr::memory_resource* upstream_resource() const { return upstream_; }

 private:
  static std::size_t lines(std::size_t bytes) { return (bytes + 127) / 128 * 128; }
  static std::size_t alignment_of(std::size_t alignment) {
    return alignment > 128 ? alignment : 128;
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return upstream_->allocate(lines(bytes), alignment_of(alignment));
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    upstream_->deallocate(memory, lines(bytes), alignment_of(alignment));
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    const auto* same = dynamic_cast<const cache_aligned_resource*>(&other);
    return same != nullptr && upstream_->is_equal(*same->upstream_);
  }

  std::pmr::memory_resource* upstream_;
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::cache_aligned_allocator;
using detail::cache_aligned_resource;
}  // namespace v1
}  // namespace tbb

#endif

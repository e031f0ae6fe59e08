// The tasks of one oneTBB arena that have not begun: a list for each of the arena's threads.
//
// A thread takes its own newest task, or the oldest of another thread: depth first, as in a program
// without tasks, so that few tasks have begun and wait. oneTBB's own queues would do that too, but
// they come before tasks that were resumed and can go on: each of these would wait, with its stack,
// until nothing is left that has not begun.
//
// Thread rule: everything may be called by all threads. Cost: finding the crew of a thread takes
// 0.1 us; a crew lives for ever.
#ifndef TASKRACE_DETAIL_ON_TBB_CREW_HPP
#define TASKRACE_DETAIL_ON_TBB_CREW_HPP

#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <taskrace/detail/on_tbb_job.hpp>

namespace taskrace {
namespace detail {
inline namespace on_tbb {

class crew {
 public:
  // Of the arena that this thread is in.
  static crew& of_this_thread() {
    const void* arena = current_arena();
    if (arena == nullptr) {
      // oneTBB does not know the thread yet.
      requests().run([] {});
      arena = current_arena();
    }
    if (crew* known = find(arena)) return *known;
    std::lock_guard<std::mutex> lock(adding_);
    if (crew* known = find(arena)) return *known;
    crew* added = new crew(arena);
    newest_.store(added, std::memory_order_release);
    return *added;
  }
  // One that has tasks; null if there is none.
  static crew* with_jobs() noexcept {
    crew* at = newest_.load(std::memory_order_acquire);
    while (at != nullptr && !at->has_jobs()) at = at->before_;
    return at;
  }
  // Where threads are asked to look for tasks. Never waited for and never destroyed: what waits for
  // a task is a counter of its own.
  static tbb::task_group& requests() {
    static tbb::task_group* const group = new tbb::task_group(requests_context());
    return *group;
  }
  // The calling task was begun for a request and has not entered another arena since, nor a loop or
  // a wait of oneTBB's.
  static bool serves_request() noexcept {
    return tbb::task::current_context() == &requests_context();
  }

  bool has_jobs() const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (!lists_[i].empty()) return true;
    }
    return false;
  }
  // The calling thread's.
  job_list& mine() noexcept { return lists_[my_number()]; }

  // The next task for the calling thread; null if there is none.
  job* take() noexcept {
    const std::size_t mine = my_number();
    if (job* task = lists_[mine].take_newest()) return task;
    for (std::size_t i = 1; i < count_; ++i) {
      if (job* task = lists_[(mine + i) % count_].take_oldest()) return task;
    }
    return nullptr;
  }
  // One from an end of a list, another one each time.
  job* take_any() noexcept {
    const std::size_t turn = turn_.fetch_add(1, std::memory_order_relaxed);
    for (std::size_t i = 0; i < count_; ++i) {
      job_list& list = lists_[(turn / 2 + i) % count_];
      if (job* task = turn % 2 == 0 ? list.take_newest() : list.take_oldest()) return task;
    }
    return nullptr;
  }

  // Its tasks that were resumed and have not gone on yet. Any thread of the arena goes on with them.
  std::atomic<long> resumed{0};
  // Stacks that are suspended in its arena.
  std::atomic<long> suspended{0};

 private:
  explicit crew(const void* arena)
      : arena_(arena),
        count_(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency())),
        lists_(new job_list[count_]),
        before_(newest_.load(std::memory_order_relaxed)) {}
  static crew* find(const void* arena) noexcept {
    crew* at = newest_.load(std::memory_order_acquire);
    while (at != nullptr && at->arena_ != arena) at = at->before_;
    return at;
  }

  std::size_t my_number() const noexcept {
    const int number = tbb::this_task_arena::current_thread_index();
    return number < 0 ? 0 : static_cast<std::size_t>(number) % count_;
  }

  static tbb::task_group_context& requests_context() {
    static auto* const context = new tbb::task_group_context(tbb::task_group_context::isolated);
    return *context;
  }

  // oneTBB has no other name for the arena that a thread is in.
  static const void* current_arena() {
    struct attached : tbb::task_arena {
      attached() : tbb::task_arena(attach{}) {}
      const void* name() const noexcept { return my_arena.load(std::memory_order_relaxed); }
    };
    return attached().name();
  }

  __attribute__((visibility("default"))) static inline std::mutex adding_;
  __attribute__((visibility("default"))) static inline std::atomic<crew*> newest_{nullptr};

  const void* const arena_;
  const std::size_t count_;
  const std::unique_ptr<job_list[]> lists_;
  std::atomic<std::size_t> turn_{0};
  crew* const before_;
};

}  // namespace on_tbb
}  // namespace detail
}  // namespace taskrace

#endif

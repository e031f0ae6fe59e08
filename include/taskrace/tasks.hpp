// The task interface: parallel tasks with one source for three builds. C++17 and later.
//
//   taskrace::scope s;  s.spawn(f);  s.sync();        fork-join
//   taskrace::finish(f);  taskrace::async(g);         everything started inside is waited for
//   taskrace::parallel_for(first, last, f);           loops; also with a grain
//   taskrace::parallel_reduce(first, last, identity, f, combine);
//   taskrace::parallel_invoke(f, g, ...);
//   taskrace::this_worker()  taskrace::max_workers()  slots, one for each worker
//   futures, promises, fork and join                  <taskrace/futures.hpp>, included here
//   pipelines                                         <taskrace/pipeline.hpp>, included here
//
// Which build it is, the compiler says:
//   an ordinary compiler            tasks run in parallel on oneTBB (link with -ltbb)
//   `taskrace c++`                  detection: tasks run depth-first, every access is checked
//   any, with -DTASKRACE_SERIAL     plain: every construct is an ordinary call
//
// Rules that hold everywhere:
//   Callables. A task's callable takes no argument and its result is discarded. It is copied or
//     moved into the task by its creator, called once, and destroyed when the task ends; move-only
//     ones are fine. Algorithms refer to the caller's callables instead, and call them as const.
//   Exceptions. One that leaves a task is kept until its group is waited for; the waiter rethrows
//     the first after all tasks of the group have ended. The others are dropped. That of a future or
//     a forked task is rethrown by get or join. No task is ever cancelled. In the plain build
//     nothing is deferred: the exception leaves the construct that created the task, as from a call.
//   Threads. A scope belongs to the task that created it: only that task spawns and syncs, inside the
//     finish that encloses the scope's construction. Detection reports anything else with its line;
//     in an ordinary build it is undefined.
//   Waiting may run other tasks on the same thread, and in programs that use futures, promises,
//     fork or pipelines it may continue on another thread: hold no lock and use no thread_local
//     across it.
#ifndef TASKRACE_TASKS_HPP
#define TASKRACE_TASKS_HPP

#if __cplusplus < 201703L
#error "taskrace needs C++17: compile with -std=c++17 or later"
#else

#if defined(TASKRACE_SERIAL)
#include <taskrace/detail/elided.hpp>
#elif defined(__TASKRACE__)
#include <taskrace/detail/detected.hpp>
#else
#include <taskrace/detail/on_tbb.hpp>
#endif

#include <cstddef>
#include <taskrace/detail/reduce.hpp>
#include <taskrace/futures.hpp>
#include <taskrace/pipeline.hpp>
#include <type_traits>
#include <utility>

namespace taskrace {
// Objects of different builds can meet in one program: each build has names of its own.
inline namespace TASKRACE_DETAIL_BUILD {

// A group of tasks that its owner waits for. Neither copied nor moved.
class scope {
 public:
  // An empty group, inside the innermost finish.
  scope() = default;
  // Waits for the tasks. Does not throw: an exception that no sync has rethrown is dropped, as
  // std::future drops one that is never read. Call sync() where it matters.
  ~scope() = default;
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

  // Starts function() as a task, in parallel with what follows until the next sync. Returns at once
  // in a parallel run; under detection and in the plain build the task has run when it returns.
  // Throws what copying the callable throws.
  template <class Function>
  void spawn(Function&& function) {
    static_assert(std::is_invocable_v<std::decay_t<Function>&>,
                  "taskrace: a task is called without arguments");
    tasks_.spawn(std::forward<Function>(function));
  }

  // Returns when every task spawned here is over; rethrows the first exception of one. The scope
  // can then be used again. With nothing to wait for it costs next to nothing.
  void sync() { tasks_.sync(); }

 private:
  detail::scope_tasks tasks_;
};

// Calls function() in the current task and returns when it and everything started inside it
// are over: its asyncs, futures and forked tasks, theirs, and so on. Rethrows the first exception
// of function() or of one of these asyncs.
template <class Function>
void finish(Function&& function) {
  static_assert(std::is_invocable_v<Function&>,
                "taskrace: finish calls its function without arguments");
  detail::finish(function);
}

// Starts function() as a task of the innermost finish around the call. Returns like scope::spawn.
// Outside of every finish the task belongs to an implicit one, which waits when main has returned
// or exit is called, before the globals made earlier are destroyed; an exception there has no
// waiter and ends the program (std::terminate).
template <class Function>
void async(Function&& function) {
  static_assert(std::is_invocable_v<std::decay_t<Function>&>,
                "taskrace: a task is called without arguments");
  detail::async(std::forward<Function>(function));
}

// Calls function(i) for every i of `for (auto i = first; i < last; ++i)`, in parallel, and returns
// when all calls are over. i is an integer or a random-access iterator (the iterator itself, not
// what it points to); types of first and last that differ are converted to their common one.
// Rethrows the first exception. Under detection any two iterations are parallel, and can race; in a
// parallel run oneTBB chooses how many to run together.
template <class First, class Last, class Function>
void parallel_for(First first, Last last, const Function& function) {
  using Index = std::common_type_t<First, Last>;
  static_assert(std::is_invocable_v<const Function&, Index>,
                "taskrace: the callable of parallel_for takes an index and is called as const");
  detail::for_each(detail::index_range<Index>(static_cast<Index>(first), static_cast<Index>(last)),
                   function);
}

// The same in chunks: the iterations [first + k * grain, first + (k + 1) * grain) are one task, in
// every build, and run in order; the last chunk may be shorter. An exception ends its chunk. A
// grain of 0 counts as 1.
template <class First, class Last, class Function>
void parallel_for(First first, Last last, std::size_t grain, const Function& function) {
  using Index = std::common_type_t<First, Last>;
  static_assert(std::is_invocable_v<const Function&, Index>,
                "taskrace: the callable of parallel_for takes an index and is called as const");
  detail::for_chunks(
      detail::index_range<Index>(static_cast<Index>(first), static_cast<Index>(last)),
      grain == 0 ? 1 : grain, function);
}

// A limit for chunks: see parallel_for below.
struct at_most {
  constexpr explicit at_most(std::size_t iterations) : grain(iterations == 0 ? 1 : iterations) {}
  std::size_t grain;
};

// The same in chunks of at most limit.grain iterations, cut anywhere: in a parallel run the
// scheduler chooses. Under detection any two iterations are parallel, and can race, wherever they may
// be cut.
template <class First, class Last, class Function>
void parallel_for(First first, Last last, at_most limit, const Function& function) {
  using Index = std::common_type_t<First, Last>;
  static_assert(std::is_invocable_v<const Function&, Index>,
                "taskrace: the callable of parallel_for takes an index and is called as const");
  detail::for_at_most(
      detail::index_range<Index>(static_cast<Index>(first), static_cast<Index>(last)), limit.grain,
      function);
}

// The number of the worker that the running task is on, from 0 to max_workers() - 1. Two tasks with
// one number do not run at the same time, so a slot for each worker is ordinary memory:
//   sums[taskrace::this_worker()] += x;
// Ask again after waiting (sync, get, join): another task may have used the slot meanwhile, and the
// number may be another one. Read the slots of others after the join. Detection reports anything
// else. For tasks, and for the thread that runs main.
inline std::size_t this_worker() noexcept { return detail::this_worker(); }
inline std::size_t max_workers() noexcept { return detail::max_workers(); }

// Calls each of the functions, in parallel, and returns when all calls are over. Rethrows
// the first exception.
template <class... Functions>
void parallel_invoke(Functions&&... functions) {
  detail::nested_tasks tasks;
  (tasks.spawn([&functions] { functions(); }), ...);
  tasks.sync();
}

// Returns the combination of function(a, b, identity) over subranges [a, b) that
// together are [first, last).
//   function   (Index a, Index b, Value start) -> Value: start combined with the elements of [a, b)
//   reduction  (Value left, Value right) -> Value: associative; `identity` is its neutral element
// The range is halved (the shorter half left) down to at most `grain` elements. The tree depends on
// the length and the grain alone: every build, with any number of threads, adds up floating-point
// numbers in the same order. Of two halves one is a task. An empty range gives `identity`; a grain
// of 0 counts as 1. Exceptions as with a scope.
template <class First, class Last, class Value, class Function, class Reduction>
Value parallel_reduce(First first, Last last, std::size_t grain, const Value& identity,
                      const Function& function, const Reduction& reduction) {
  using Index = std::common_type_t<First, Last>;
  const detail::index_range<Index> range(static_cast<Index>(first), static_cast<Index>(last));
  if (range.count == 0) return identity;
  return detail::reduce(range, 0, range.count, grain == 0 ? 1 : grain, identity, function,
                        reduction);
}

// The same with the grain that makes at most 512 subranges of equal length, give or take one
// halving: enough for any machine, and the same in every build.
template <class First, class Last, class Value, class Function, class Reduction>
Value parallel_reduce(First first, Last last, const Value& identity, const Function& function,
                      const Reduction& reduction) {
  using Index = std::common_type_t<First, Last>;
  const detail::index_range<Index> range(static_cast<Index>(first), static_cast<Index>(last));
  const std::size_t count = range.count;
  return parallel_reduce(first, last, count / 512 + (count % 512 != 0), identity, function,
                         reduction);
}

}  // namespace TASKRACE_DETAIL_BUILD
}  // namespace taskrace

#endif

#endif

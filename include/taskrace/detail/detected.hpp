// The detection build of <taskrace/tasks.hpp>: tasks run in the runtime's executor.
//
// Two kinds of functions, and the difference matters.
//   Instrumented glue runs the user's code and calls the runtime, so that reports show the user's
//   line as the caller. It takes addresses of bookkeeping but never loads or stores it. Bookkeeping
//   is loaded and stored only in TASKRACE_NO_INSTRUMENT functions, and in code that runs in the
//   owner after a join: so it is never in a race, and hides none. Closures, captures and results
//   are the user's memory: they are constructed, called and destroyed in glue.
//
// This file: fork-join. detected_futures.hpp and detected_pipeline.hpp: the rest.
//
// Thread rule: as hooks.h. Cost: per task one storage, one create; per join one call and one flag.
#ifndef TASKRACE_DETAIL_DETECTED_HPP
#define TASKRACE_DETAIL_DETECTED_HPP

#include <taskrace/annotate.h>
#include <taskrace/hooks.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <taskrace/detail/exceptions.hpp>
#include <taskrace/detail/index_range.hpp>
#include <type_traits>
#include <utility>

#define TASKRACE_DETAIL_BUILD detected

namespace taskrace {
namespace detail {
inline namespace detected {

// The first exception that left a task of a group.
class first_error {
 public:
  TASKRACE_NO_INSTRUMENT void begin() noexcept { kept_ = false; }

  // Requires: an exception is being handled. Tasks call this in parallel: the first one keeps its own.
  // current_exception writes its result from inside the C++ library, which is not instrumented; it is
  // not told where this one is, for then a finish would be memory that others know of.
  TASKRACE_NO_INSTRUMENT void keep() noexcept {
    if (__atomic_exchange_n(&kept_, true, __ATOMIC_RELAXED)) return;
    alignas(std::exception_ptr) unsigned char current[sizeof(memory_)];
    ::new (static_cast<void*>(current)) std::exception_ptr(std::current_exception());
    __builtin_memcpy(memory_, current, sizeof(memory_));
  }

  // Requires of both: the tasks are joined.
  void rethrow() {
    if (kept()) throw_it();
  }
  void drop() noexcept {
    if (kept()) drop_it();
  }

 private:
  TASKRACE_NO_INSTRUMENT bool kept() const noexcept { return kept_; }
  TASKRACE_NO_INSTRUMENT void forget() noexcept { kept_ = false; }
  [[noreturn, gnu::cold, gnu::noinline]] void throw_it() { std::rethrow_exception(take()); }
  [[gnu::cold, gnu::noinline]] void drop_it() noexcept { take(); }
  std::exception_ptr take() noexcept {
    auto* error = std::launder(reinterpret_cast<std::exception_ptr*>(memory_));
    std::exception_ptr taken = std::move(*error);
    error->~exception_ptr();
    forget();
    return taken;
  }

  alignas(std::exception_ptr) unsigned char memory_[sizeof(std::exception_ptr)];
  bool kept_;
};

// A task's storage: something of the interface's own, then something of the user's.
template <class Header, class Body>
struct task_block {
  static constexpr std::size_t alignment = alignof(Body) > alignof(Header) ? alignof(Body)
                                                                           : alignof(Header);
  static constexpr std::size_t offset = (sizeof(Header) + alignment - 1) / alignment * alignment;

  TASKRACE_NO_INSTRUMENT static void* storage(Header header) noexcept {
    void* storage = __taskrace_task_storage(offset + sizeof(Body), alignment);
    ::new (storage) Header(header);
    return storage;
  }
  TASKRACE_NO_INSTRUMENT static Header header(void* storage) noexcept {
    return *std::launder(static_cast<Header*>(storage));
  }
  // Where the body is, or will be made.
  static void* place(void* storage) noexcept { return static_cast<char*>(storage) + offset; }
  static Body& body(void* storage) noexcept {
    return *std::launder(static_cast<Body*>(place(storage)));
  }
};

// The tasks of an algorithm of ours: synced before anything else of the same task.
class nested_tasks {
 public:
  nested_tasks() noexcept {
    begin();
    __taskrace_nest_begin(&group_);
  }
  ~nested_tasks() {
    __taskrace_scope_sync(&group_);
    error_.drop();
    __taskrace_scope_end(&group_);
  }
  nested_tasks(const nested_tasks&) = delete;
  nested_tasks& operator=(const nested_tasks&) = delete;

  template <class F>
  void spawn(F&& function) {
    using Function = std::decay_t<F>;
    using Block = task_block<first_error*, Function>;
    void* storage = Block::storage(&error_);
    ::new (Block::place(storage)) Function(std::forward<F>(function));
    __taskrace_spawn(&group_, &run<Function>, storage);
  }
  void sync() {
    __taskrace_scope_sync(&group_);
    error_.rethrow();
  }

 protected:
  struct not_nested {};
  explicit nested_tasks(not_nested) noexcept {
    begin();
    __taskrace_scope_begin(&group_);
  }

 private:
  template <class Function>
  static void run(void* storage) noexcept {
    using Block = task_block<first_error*, Function>;
    Function& function = Block::body(storage);
    TASKRACE_DETAIL_TRY { function(); }
    TASKRACE_DETAIL_CATCH { Block::header(storage)->keep(); }
    function.~Function();
  }
  TASKRACE_NO_INSTRUMENT void begin() noexcept {
    group_ = {};
    error_.begin();
  }

  __taskrace_group group_;
  first_error error_;
};

// The tasks of a scope of the program's.
class scope_tasks : public nested_tasks {
 public:
  scope_tasks() noexcept : nested_tasks(not_nested{}) {}
};

// An open finish. The runtime knows which one a task belongs to, by the group inside it.
class finish_tasks {
 public:
  finish_tasks() noexcept {
    begin();
    __taskrace_finish_begin(&group_);
  }
  void keep() noexcept { error_.keep(); }
  // Joins; must be called once, and last.
  void end() {
    __taskrace_finish_end(&group_);
    error_.rethrow();
  }

  // An exception left an async. Nobody waits for one outside of every finish.
  TASKRACE_NO_INSTRUMENT static void keep_innermost() noexcept {
    static_assert(std::is_standard_layout_v<finish_tasks>, "group_ is where the finish begins");
    __taskrace_group* group = __taskrace_innermost_finish();
    if (group == nullptr) std::terminate();
    reinterpret_cast<finish_tasks*>(group)->error_.keep();
  }

 private:
  TASKRACE_NO_INSTRUMENT void begin() noexcept {
    group_ = {};
    error_.begin();
  }

  __taskrace_group group_;
  first_error error_;
};

template <class Function>
void finish(Function& function) {
  finish_tasks tasks;
  TASKRACE_DETAIL_TRY { function(); }
  TASKRACE_DETAIL_CATCH { tasks.keep(); }
  tasks.end();
}

template <class Function>
void run_async(void* storage) noexcept {
  Function& function = *std::launder(static_cast<Function*>(storage));
  TASKRACE_DETAIL_TRY { function(); }
  TASKRACE_DETAIL_CATCH { finish_tasks::keep_innermost(); }
  function.~Function();
}

template <class F>
void async(F&& function) {
  using Function = std::decay_t<F>;
  void* storage = __taskrace_task_storage(sizeof(Function), alignof(Function));
  ::new (storage) Function(std::forward<F>(function));
  __taskrace_async(&run_async<Function>, storage);
}

// How an iteration holds the chunks of a range of iterators: as a copy of its own. Variables of a part end with its
// last iteration, so no iteration may be seen to read them. The copy of what is not trivial would be
// seen; then all use those of the loop.
template <class Chunks>
using held = std::conditional_t<std::is_trivially_copyable_v<Chunks>, const Chunks, const Chunks&>;
template <class Chunks>
TASKRACE_NO_INSTRUMENT held<Chunks> hold(const Chunks& chunks) noexcept {
  return chunks;
}

// A parallel loop. Iteration k calls the function for chunk k of the range.
//
// The runtime calls run_part through a pointer, so that nothing is kept in registers across the ends of the
// loop; the function is inlined into it. As far as the optimiser knows, the call before each iteration may
// read and write all memory: no value is carried from one iteration to the next, and every access stays in
// its iteration. The pass knows better, and removes the call where it can.
template <class Chunks, class Function>
class parallel_loop {
 public:
  parallel_loop(const Chunks& chunks, const Function& function) noexcept
      : chunks_(chunks), function_(function) {
    begin();
  }
  // Returns when all iterations are over; rethrows the first exception of one.
  void run() {
    __taskrace_loop(count(), number_of_first(), &run_part, this);
    error_.rethrow();
  }

 private:
  static void run_part(void* self, std::size_t begin, std::size_t end) noexcept {
    const Function& function = function_of(self);
    if constexpr (Chunks::in_registers) {
      // Nobody takes the address of these variables, so they are never checked, and no call is needed to hide them.
      const auto first = first_of(self);
      const std::size_t count = length_of(self), grain = grain_of(self);
      auto place = Chunks::place(first, begin);
      for (std::size_t k = begin; k != end && __taskrace_iteration(k) != 0; ++k, ++place) {
        TASKRACE_DETAIL_TRY { Chunks::call(function, first, count, grain, place); }
        TASKRACE_DETAIL_CATCH { keep(self); }
      }
    } else {
      held<Chunks> chunks = chunks_of(self);
      for (std::size_t k = begin; k != end && __taskrace_iteration(k) != 0; ++k) {
        TASKRACE_DETAIL_TRY { chunks.call_held(function, k); }
        TASKRACE_DETAIL_CATCH { keep(self); }
      }
    }
  }
  TASKRACE_NO_INSTRUMENT static auto first_of(void* self) noexcept {
    return static_cast<parallel_loop*>(self)->chunks_.range.first;
  }
  TASKRACE_NO_INSTRUMENT static std::size_t length_of(void* self) noexcept {
    return static_cast<parallel_loop*>(self)->chunks_.range.count;
  }
  TASKRACE_NO_INSTRUMENT static std::size_t grain_of(void* self) noexcept {
    return static_cast<parallel_loop*>(self)->chunks_.grain;
  }
  TASKRACE_NO_INSTRUMENT static held<Chunks> chunks_of(void* self) noexcept {
    return static_cast<parallel_loop*>(self)->chunks_;
  }
  TASKRACE_NO_INSTRUMENT static const Function& function_of(void* self) noexcept {
    return static_cast<parallel_loop*>(self)->function_;
  }
  TASKRACE_NO_INSTRUMENT static void keep(void* self) noexcept {
    static_cast<parallel_loop*>(self)->error_.keep();
  }
  TASKRACE_NO_INSTRUMENT void begin() noexcept { error_.begin(); }
  TASKRACE_NO_INSTRUMENT std::size_t count() const noexcept { return chunks_.count(); }
  TASKRACE_NO_INSTRUMENT std::int64_t number_of_first() const noexcept { return chunks_.number(); }

  const Chunks chunks_;
  const Function& function_;
  first_error error_;
};

// Every element of the range is a chunk.
template <class Index>
struct single_chunks {
  // Can the range be kept in registers? An iterator of class type is an object, which iterations must not share.
  static constexpr bool in_registers = std::is_scalar_v<Index>;

  index_range<Index> range;
  std::size_t grain = 1;

  std::size_t count() const { return range.count; }
  // What reports call the first chunk: the index itself where that is a number.
  std::int64_t number() const {
    if constexpr (std::is_integral_v<Index>) {
      return static_cast<std::int64_t>(range.first);
    } else {
      return 0;
    }
  }
  // A number is a variable of the loop, and not computed from k: the compiler follows it through what the
  // function computes from it.
  static Index place(Index first, std::size_t k) { return index_range<Index>::bound(first, k); }
  template <class Function>
  static void call(const Function& function, Index, std::size_t, std::size_t, Index place) {
    function(index_range<Index>::inside(place));
  }
  template <class Function>
  void call_held(const Function& function, std::size_t k) const {
    held<single_chunks> mine = hold(*this);
    function(mine.range[k]);
  }
};

// Chunks of `grain` elements, the last one perhaps shorter.
template <class Index>
struct grained_chunks {
  static constexpr bool in_registers = std::is_scalar_v<Index>;

  index_range<Index> range;
  std::size_t grain;

  std::size_t count() const { return range.count / grain + (range.count % grain != 0); }
  std::int64_t number() const { return 0; }
  static std::size_t place(Index, std::size_t k) { return k; }
  template <class Function>
  static void call(const Function& function, Index first, std::size_t count, std::size_t grain,
                   std::size_t k) {
    const std::size_t begin = k * grain, rest = count - begin;
    const std::size_t length = grain < rest ? grain : rest;
    Index index = index_range<Index>::bound(first, begin);
    for (std::size_t i = 0; i != length; ++i, ++index) {
      function(index_range<Index>::inside(index));
    }
  }
  template <class Function>
  void call_held(const Function& function, std::size_t k) const {
    held<grained_chunks> mine = hold(*this);
    const std::size_t begin = k * mine.grain, rest = mine.range.count - begin;
    const std::size_t end = begin + (mine.grain < rest ? mine.grain : rest);
    for (std::size_t i = begin; i != end; ++i) function(mine.range[i]);
  }
};

template <class Index, class Function>
void for_each(index_range<Index> range, const Function& function) {
  parallel_loop<single_chunks<Index>, Function>({range}, function).run();
}

template <class Index, class Function>
void for_chunks(index_range<Index> range, std::size_t grain, const Function& function) {
  parallel_loop<grained_chunks<Index>, Function>({range, grain}, function).run();
}

// However the range is cut, two iterations may be parallel.
template <class Index, class Function>
void for_at_most(index_range<Index> range, std::size_t, const Function& function) {
  detected::for_each(range, function);
}

inline std::size_t this_worker() noexcept { return __taskrace_this_worker(); }
inline std::size_t max_workers() noexcept { return __taskrace_max_workers(); }

}  // namespace detected
}  // namespace detail
}  // namespace taskrace

#endif

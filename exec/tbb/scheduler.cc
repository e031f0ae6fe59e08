// libtaskrace_tbb.so: oneTBB behind the table of exec/task_scheduler.h.
//
// The arena that oneTBB gives the main thread by itself has a place for each core. For more threads
// than that there is an arena of our own, which the main thread enters for each call.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <new>

#include "exec/task_scheduler.h"

namespace {

constexpr size_t kStackBytes = size_t{8} << 20;  // the main thread has no more, usually

// Never destroyed: threads may run until the process ends.
tbb::task_arena* own_arena = nullptr;
thread_local bool is_inside = false;  // of the arena that tasks run in

void Start(unsigned threads) {
  const unsigned cores = static_cast<unsigned>(tbb::info::default_concurrency());
  threads = taskrace::TaskScheduler::ThreadsFor(threads, cores);
  new tbb::global_control(tbb::global_control::max_allowed_parallelism, threads);
  new tbb::global_control(tbb::global_control::thread_stack_size, kStackBytes);
  if (threads > cores) own_arena = new tbb::task_arena(static_cast<int>(threads));
}

template <class Function>
void Inside(Function function) {
  if (own_arena == nullptr || is_inside) return function();
  own_arena->execute([&] {
    is_inside = true;
    function();
    is_inside = false;
  });
}

tbb::task_group& GroupIn(void* room) { return *std::launder(static_cast<tbb::task_group*>(room)); }

void MakeGroup(void* room) {
  static_assert(sizeof(tbb::task_group) <= taskrace::TaskScheduler::kGroupBytes);
  new (room) tbb::task_group;
}
void EndGroup(void* room) { GroupIn(room).~task_group(); }
void Run(void* group, void (*body)(void*), void* task) {
  Inside([=] {
    GroupIn(group).run([=] {
      is_inside = true;
      body(task);
    });
  });
}
void Wait(void* group) {
  Inside([=] { GroupIn(group).wait(); });
}
void RunParts(size_t count, void (*body)(void*, size_t, size_t), void* loop) {
  Inside([=] {
    tbb::parallel_for(tbb::blocked_range<size_t>(0, count),
                      [=](const tbb::blocked_range<size_t>& part) {
                        is_inside = true;
                        body(loop, part.begin(), part.end());
                      });
  });
}

}  // namespace

extern "C" __attribute__((visibility("default")))
const taskrace::TaskScheduler taskrace_task_scheduler = {.start = Start,
                                                         .make_group = MakeGroup,
                                                         .end_group = EndGroup,
                                                         .run = Run,
                                                         .wait = Wait,
                                                         .run_parts = RunParts};

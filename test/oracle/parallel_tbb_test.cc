// Parallel detection of programs whose tasks oneTBB schedules, against the oracle: its own groups, its
// own stealing; a thread that waits runs other tasks on its stack.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <deque>

#include "test/oracle/check.h"
#include "test/oracle/parallel_delays.h"
#include "test/oracle/parallel_run.h"

namespace taskrace::oracle {
namespace {

class OneTbb {
 public:
  struct Thread {
    Thread(ParallelDetection& detection, uint64_t seed) : worker(detection), delays(seed) {}
    ParallelWorker worker;
    RandomDelays delays;
  };
  class Group {
   public:
    template <class Task>
    void Run(OneTbb& threads, Task task) {
      tasks_.run([&threads, task] { task(threads.First()); });
    }
    void Wait(OneTbb&, Thread&) { tasks_.wait(); }
    TaskTree::Group tree = {};

   private:
    tbb::task_group tasks_;
  };

  OneTbb(ParallelDetection& detection, size_t count, uint64_t seed)
      : allowed_(tbb::global_control::max_allowed_parallelism, count),
        arena_(static_cast<int>(count)) {
    for (size_t i = 0; i < count; ++i) threads_.emplace_back(detection, seed * 1000 + i);
  }

  // The calling thread. Requires: it is in the arena.
  Thread& First() {
    return threads_[static_cast<size_t>(tbb::this_task_arena::current_thread_index())];
  }
  template <class Function>
  void InArena(Function function) {
    arena_.execute(function);
  }

 private:
  tbb::global_control allowed_;
  tbb::task_arena arena_;
  std::deque<Thread> threads_;
};

class OnOneTbb : public testing::TestWithParam<size_t> {
 protected:
  void ExpectRight(const ProgramClass& program_class) {
    ParallelReferee referee;
    const auto detection = std::make_unique<ParallelDetection>(referee);
    OneTbb tbb(*detection, GetParam(), Seed());
    size_t runs = 0;
    AnyProgram(
        program_class, IsLong() ? 2'000 : 200, [&](const Body& body, const Placement& placement) {
          ++runs;
          ParallelProgram program(body, MemoryOf(runs, placement.base), ScaleOf(runs),
                                  HasMany(runs), static_cast<Moves>(runs % 3));
          referee.Begin(program, detection->tree);
          tbb.InArena([&] { ParallelRun<OneTbb> run(tbb, program); });
          const std::string wrong = referee.Wrong().empty() ? program.Compare() : referee.Wrong();
          EXPECT_EQ(wrong, "") << GetParam() << " threads, " << ToString(body);
          return !wrong.empty();
        });
  }
};
INSTANTIATE_TEST_SUITE_P(With, OnOneTbb, testing::Values(1, 2, 4, 16));

TEST_P(OnOneTbb, TheRacesOfSpawnAndSyncAreFound) { ExpectRight(kSp); }
TEST_P(OnOneTbb, TheRacesOfFinishAndAsyncAreFound) { ExpectRight(kFinish); }
TEST_P(OnOneTbb, TheRacesWithAtomicsAndLocksAreFound) { ExpectRight(kLocks); }
TEST_P(OnOneTbb, TheRacesOfLoopsAreFound) { ExpectRight(WithLoops(kLocks)); }

}  // namespace
}  // namespace taskrace::oracle

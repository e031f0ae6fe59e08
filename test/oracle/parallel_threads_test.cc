// Parallel detection on threads, with random pauses at the hooks, against the oracle: the same racy
// bytes in every run. TASKRACE_LONG=1: each program fifty times.
#include "test/oracle/parallel_threads.h"

#include "test/oracle/check.h"
#include "test/oracle/parallel_run.h"

namespace taskrace::oracle {
namespace {

class ThreadedDetection {
 public:
  ThreadedDetection(size_t threads, uint64_t seed)
      : detection_(std::make_unique<ParallelDetection>(referee_)),
        threads_(*detection_, threads, seed) {}

  std::string Wrong(const Body& body, uintptr_t like, Moves moves = Moves::kNone) {
    ++runs_;
    ParallelProgram program(body, MemoryOf(runs_, like), ScaleOf(runs_), HasMany(runs_), moves);
    referee_.Begin(program, detection_->tree);
    ParallelRun<Threads> run(threads_, program);
    return referee_.Wrong().empty() ? program.Compare() : referee_.Wrong();
  }

 private:
  ParallelReferee referee_;
  std::unique_ptr<ParallelDetection> detection_;
  Threads threads_;
  size_t runs_ = 0;
};

// ThreadSanitizer looks for other mistakes than wrong answers, and takes ten times as long.
#if __has_feature(thread_sanitizer)
constexpr size_t kPrograms = 25;
#else
constexpr size_t kPrograms = 200;
#endif

class ParallelThreads : public testing::TestWithParam<size_t> {
 protected:
  void ExpectRight(const ProgramClass& program_class, Moves moves = Moves::kNone) {
    const size_t times = IsLong() ? 50 : 2;
    size_t programs = 0;
    auto subject = std::make_unique<ThreadedDetection>(GetParam(), Seed());
    AnyProgram(program_class, kPrograms, [&](const Body& body, const Placement& placement) {
      if (++programs % 20 == 0) {
        subject = std::make_unique<ThreadedDetection>(GetParam(), Seed() + programs);
      }
      for (size_t i = 0; i < times; ++i) {
        const std::string wrong = subject->Wrong(body, placement.base, moves);
        EXPECT_EQ(wrong, "") << GetParam() << " threads, " << program_class.name << ", "
                             << ToString(body);
        if (!wrong.empty()) return true;
      }
      return false;
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Of, ParallelThreads, testing::Values(1, 2, 4, 16));

TEST_P(ParallelThreads, FindTheRacesOfSpawnAndSync) { ExpectRight(kSp); }
TEST_P(ParallelThreads, FindTheRacesOfFinishAndAsync) { ExpectRight(kFinish); }
TEST_P(ParallelThreads, FindTheRacesOfManyReadersOfFewPlaces) { ExpectRight(AtFewPlaces(kFinish)); }
TEST_P(ParallelThreads, FindTheRacesWithAtomicsAndLocks) { ExpectRight(kLocks); }
TEST_P(ParallelThreads, FindTheRacesOfLoops) {
  for (const Moves moves : {Moves::kNone, Moves::kSome, Moves::kAll}) {
    ExpectRight(WithLoops(kSp), moves);
    ExpectRight(AtFewPlaces(WithLoops(kSp)), moves);
  }
}
TEST_P(ParallelThreads, FindTheRacesOfLoopsWithAtomicsAndLocks) {
  for (const Moves moves : {Moves::kNone, Moves::kSome, Moves::kAll}) {
    ExpectRight(WithLoops(kLocks), moves);
  }
}

// Every thread reads and writes the same few cells at once.
Body Crowd(size_t tasks, const Body& each) {
  Body asyncs;
  for (size_t i = 0; i < tasks; ++i) asyncs.push_back(Async(each));
  return {Finish(asyncs)};
}
TEST_P(ParallelThreads, FindEveryByteOfACrowd) {
  ThreadedDetection subject(GetParam(), Seed());
  const Body reads{Access(AccessKind::kRead, 0, 8), Access(AccessKind::kRead, 4, 4)};
  Body program = Crowd(40, reads);
  EXPECT_EQ(subject.Wrong(program, Placement{}.base), "");
  program[0].body.push_back(Async({Access(AccessKind::kWrite, 3, 2)}));
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(subject.Wrong(program, Placement{}.base), "");
  const Body both{Access(AccessKind::kRead, 0, 8), Access(AccessKind::kAtomicWrite, 8, 4),
                  Access(AccessKind::kRead, 8, 1, 1), Access(AccessKind::kWrite, 12, 1, 2)};
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(subject.Wrong(Crowd(40, both), Placement{}.base), "");
}

}  // namespace
}  // namespace taskrace::oracle

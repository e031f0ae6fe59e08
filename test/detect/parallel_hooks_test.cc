#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "detect/parallel/worker_hooks.h"
#include "test/detect/parallel_host.h"

// As instrumented code has it; the runtime defines it in programs.
__thread __taskrace_frame* __taskrace_top = nullptr;

namespace taskrace {
namespace {

// The compiler must not see through it: a hook that is inlined has another caller.
const AccessHooks* volatile table = &WorkerHooks::kHooks;

// A thread that is a worker, with a shadow call stack of its own.
class Frames {
 public:
  Frames() {
    Contexts::InitBase(frames_);
    __taskrace_top = frames_;
  }
  static void Call(uintptr_t return_address) {
    ++__taskrace_top;
    *__taskrace_top = {reinterpret_cast<const void*>(return_address), 0, 0};
  }
  static void Return() { --__taskrace_top; }

 private:
  __taskrace_frame frames_[16] = {};
};

class ParallelHooks : public testing::Test {
 protected:
  // Runs a body as a child of the root, on a thread of its own.
  template <class Body>
  std::thread Child(TaskTree::TaskPlace& place, Body body) {
    first.detector.Create(root, place, How::kAsync, implicit, kNowhere);
    running.push_back(std::make_unique<Running>());
    workers.push_back(std::make_unique<WorkerHooks::Worker>(detection, contexts, *running.back()));
    WorkerHooks::Worker* worker = workers.back().get();
    return std::thread([worker, &place, body] {
      Frames frames;
      WorkerHooks::Become(worker);
      worker->detector.Run(place);
      body(*table);
      worker->detector.Stop();
      worker->detector.Rest();
    });
  }
  void SetUp() override { first.detector.Start(root, implicit); }

  std::vector<uintptr_t> StackOf(Where where) const {
    std::vector<uintptr_t> frames;
    contexts.ForEachFrame(contexts[where].context,
                          [&](uintptr_t address) { frames.push_back(address); });
    return frames;
  }

  CollectingHost host;
  ParallelDetection detection{host};
  SharedContexts contexts;
  std::vector<std::unique_ptr<WorkerHooks::Worker>> workers;
  Running runs_first;
  WorkerHooks::Worker first{detection, contexts, runs_first};
  std::vector<std::unique_ptr<Running>> running;
  TaskTree::TaskPlace root;
  TaskTree::Group implicit;
};

TEST_F(ParallelHooks, NameThePlaceAndTheStackOfBothAccesses) {
  static int shared;
  TaskTree::TaskPlace one, two;
  std::thread a = Child(one, [](const AccessHooks& hooks) {
    Frames::Call(0x111);
    Frames::Call(0x222);
    hooks.write[2](&shared);
    Frames::Return();
    Frames::Return();
  });
  a.join();
  std::thread b = Child(two, [](const AccessHooks& hooks) {
    Frames::Call(0x333);
    hooks.read[0](reinterpret_cast<const char*>(&shared) + 1);
    Frames::Return();
  });
  b.join();
  ASSERT_EQ(host.races.size(), 1u);
  const Where write = host.races[0].earlier.where, read = host.races[0].later.where;
  EXPECT_EQ(StackOf(write), (std::vector<uintptr_t>{0x222, 0x111}));
  EXPECT_EQ(StackOf(read), (std::vector<uintptr_t>{0x333}));
  EXPECT_EQ(host.races[0].earlier.size, 4u);
  EXPECT_EQ(host.races[0].later.size, 1u);
  EXPECT_NE(contexts[write].pc, contexts[read].pc);
}

TEST_F(ParallelHooks, GiveEqualPlacesEqualNumbersOnAllThreads) {
  static char memory[64];
  constexpr size_t kTasks = 4;
  TaskTree::TaskPlace places[kTasks];
  std::vector<std::thread> threads;
  for (TaskTree::TaskPlace& place : places) {
    threads.push_back(Child(place, [](const AccessHooks& hooks) {
      for (uintptr_t i = 0; i < 200; ++i) {
        Frames::Call(0x1000 + i);
        hooks.write_range(memory, 8);
        hooks.atomic_write(memory + 16, 4);
        hooks.read_rows(memory + 32, 4, 3, 8);
        Frames::Return();
      }
    }));
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_FALSE(host.races.empty());
  for (const ParallelRace& race : host.races) {
    EXPECT_EQ(race.earlier.where, race.later.where);
    EXPECT_EQ(race.first, reinterpret_cast<uintptr_t>(memory));
    EXPECT_EQ(race.size, 8u);
  }
}

TEST_F(ParallelHooks, CollectAnAccessOnce) {
  static long shared;
  TaskTree::TaskPlace one;
  Child(one, [](const AccessHooks& hooks) {
    for (int i = 0; i < 1000; ++i) hooks.write[3](&shared);
  }).join();
  EXPECT_EQ(workers[0]->detector.GetCounts().ranges, 1u);
}

}  // namespace
}  // namespace taskrace

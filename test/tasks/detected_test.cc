// The detection build of the interface against a fake runtime: which calls it makes, and when.
#include <gtest/gtest.h>

#include <taskrace/tasks.hpp>

#include "test/tasks/fake_runtime.h"

namespace {

using Events = std::vector<std::string>;

// The runtime's calls while `call` runs.
template <class Call>
Events EventsOf(Call call) {
  fake::events.clear();
  call();
  return fake::events;
}

TEST(Detected, SpawnRunsBetweenCreateAndEnd) {
  EXPECT_EQ((Events{"scope", "storage", "spawn", "body", "end", "sync", "sync", "scope end"}),
            EventsOf([] {
              taskrace::scope tasks;
              tasks.spawn([] { fake::events.push_back("body"); });
              tasks.sync();
            }));
}

TEST(Detected, DestructorSyncsBeforeItEndsTheScope) {
  EXPECT_EQ((Events{"scope", "storage", "spawn", "end", "sync", "scope end"}), EventsOf([] {
              taskrace::scope tasks;
              tasks.spawn([] {});
            }));
}

TEST(Detected, ScopeIsSyncedAndEndedWhenItsOwnerThrows) {
  EXPECT_EQ((Events{"scope", "storage", "spawn", "end", "sync", "scope end"}), EventsOf([] {
              try {
                taskrace::scope tasks;
                tasks.spawn([] { throw 1; });
                throw 2;
              } catch (int thrown) {
                EXPECT_EQ(2, thrown);
              }
            }));
}

TEST(Detected, FinishEndsWhenItsBodyThrows) {
  EXPECT_EQ((Events{"finish", "storage", "async", "end", "finish end"}), EventsOf([] {
              try {
                taskrace::finish([] {
                  taskrace::async([] {});
                  throw 1;
                });
              } catch (int thrown) {
                EXPECT_EQ(1, thrown);
              }
            }));
}

TEST(Detected, FirstExceptionInSerialOrderIsRethrown) {
  try {
    taskrace::scope tasks;
    for (int i = 0; i < 5; ++i) tasks.spawn([i] { throw i; });
    tasks.sync();
    FAIL();
  } catch (int thrown) {
    EXPECT_EQ(0, thrown);
  }
}

// Writes down when it is copied and destroyed.
struct Traced {
  Traced() = default;
  Traced(const Traced&) { fake::events.push_back("copy"); }
  ~Traced() { fake::events.push_back("destroy"); }
  void operator()() const { fake::events.push_back("call"); }
};

TEST(Detected, ClosureIsCopiedByTheCreatorAndDestroyedInTheTask) {
  const Traced traced;
  EXPECT_EQ((Events{"finish", "storage", "copy", "async", "call", "destroy", "end", "finish end"}),
            EventsOf([&] { taskrace::finish([&] { taskrace::async(traced); }); }));
}

TEST(Detected, ClosureOfATaskThatThrowsIsDestroyedToo) {
  struct Throws : Traced {
    void operator()() const { throw 1; }
  };
  const Throws throws;
  EXPECT_EQ((Events{"scope", "storage", "copy", "spawn", "destroy", "end", "sync", "scope end"}),
            EventsOf([&] {
              taskrace::scope tasks;
              tasks.spawn(throws);
            }));
}

TEST(Detected, EveryIterationIsOneOfALoop) {
  EXPECT_EQ((Events{"loop 3 from -1", "iteration 0", "-1", "iteration 1", "0", "iteration 2", "1",
                    "loop end"}),
            EventsOf([] {
              taskrace::parallel_for(-1, 2,
                                     [](int i) { fake::events.push_back(std::to_string(i)); });
            }));
}

TEST(Detected, EveryChunkIsAnIteration) {
  EXPECT_EQ((Events{"loop 3 from 0", "iteration 0", "0", "1", "iteration 1", "2", "3",
                    "iteration 2", "4", "loop end"}),
            EventsOf([] {
              taskrace::parallel_for(0, 5, 2,
                                     [](int i) { fake::events.push_back(std::to_string(i)); });
            }));
}

TEST(Detected, AnExceptionOfAnIterationComesOutAfterAllOthers) {
  int ran = 0;
  EXPECT_THROW(taskrace::parallel_for(0, 4,
                                      [&](int i) {
                                        ++ran;
                                        if (i == 1) throw i;
                                      }),
               int);
  EXPECT_EQ(ran, 4);
}

TEST(Detected, ReduceMakesTheLeftHalfATask) {
  EXPECT_EQ((Events{"scope", "storage", "spawn", "0", "end", "1", "sync", "sync", "scope end"}),
            EventsOf([] {
              taskrace::parallel_reduce(
                  0, 2, 1, 0,
                  [](int a, int, int sum) {
                    fake::events.push_back(std::to_string(a));
                    return sum;
                  },
                  [](int a, int b) { return a + b; });
            }));
}

TEST(Detected, NoStorageIsLeft) {
  const int before = fake::live_storages;
  taskrace::finish([] {
    for (int i = 0; i < 10; ++i) taskrace::async([i] { taskrace::async([i] { (void)i; }); });
    taskrace::parallel_for(0, 10, [](int) {});
  });
  EXPECT_EQ(before, fake::live_storages);
}

TEST(Detected, ExceptionOfAnAsyncGoesToItsInnermostFinish) {
  std::string caught;
  taskrace::finish([&caught] {
    try {
      taskrace::finish([] { taskrace::async([] { throw std::string("inner"); }); });
    } catch (const std::string& thrown) {
      caught = thrown;
    }
  });
  EXPECT_EQ("inner", caught);
}

TEST(Detected, AnnotationsReachTheRuntime) {
  EXPECT_EQ(
      (Events{"ignore begin", "ignore begin", "ignore end", "ignore end", "ignore 4", "freed 8",
              "forget 8", "lock", "unlock", "lock shared", "unlock", "before", "after"}),
      EventsOf([] {
        char bytes[8];
        {
          taskrace::ignore_region region;
          TASKRACE_IGNORE_BEGIN();
          TASKRACE_IGNORE_END();
        }
        TASKRACE_IGNORE_RANGE(bytes, 4);
        TASKRACE_FREED_RANGE(bytes, sizeof bytes);
        TASKRACE_FORGET_RANGE(bytes, sizeof bytes);
        TASKRACE_LOCK_ACQUIRED(bytes);
        TASKRACE_LOCK_RELEASED(bytes);
        TASKRACE_LOCK_ACQUIRED_SHARED(bytes);
        TASKRACE_LOCK_RELEASED(bytes);
        TASKRACE_HAPPENS_BEFORE(bytes);
        TASKRACE_HAPPENS_AFTER(bytes);
      }));
  EXPECT_EQ(1, TASKRACE_IS_ON());
}

}  // namespace

#include "exec/fibers.h"

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

__thread __taskrace_frame* __taskrace_top = nullptr;

namespace taskrace {
namespace {

// Runs lambdas as fibers and keeps a diary of who did what.
class FibersTest : public testing::Test {
 protected:
  FibersTest() {
    __taskrace_top = frames_;
    fibers_.Start();
  }

  void Say(const std::string& what) { diary_ += (diary_.empty() ? "" : " ") + what; }

  // A fiber that runs `work` and then resumes those in `at_end`, as they are then.
  void Run(std::function<void()> work, FiberQueue* at_end = nullptr) {
    struct Begin {
      FibersTest* test;
      std::function<void()> work;
      FiberQueue* at_end;
    } begin{this, std::move(work), at_end};
    fibers_.Run(
        [](void* argument) {
          FibersTest* test = static_cast<Begin*>(argument)->test;
          FiberQueue* at_end = static_cast<Begin*>(argument)->at_end;
          {
            const std::function<void()> work = std::move(static_cast<Begin*>(argument)->work);
            work();
          }
          test->fibers_.Exit(at_end == nullptr ? FiberQueue{} : std::exchange(*at_end, {}));
          ADD_FAILURE() << "nobody can run";
        },
        &begin);
  }
  // The running fiber waits in the queue.
  void WaitIn(FiberQueue& queue) {
    queue.Append(fibers_.Running());
    EXPECT_TRUE(fibers_.Block({}));
  }
  void ResumeAll(FiberQueue& queue) { fibers_.Resume(std::exchange(queue, {})); }

  __taskrace_frame frames_[16] = {};
  Execution execution_;
  Fibers fibers_{execution_};
  std::string diary_;
};

TEST_F(FibersTest, AFiberRunsAtOnceAndItsCreatorGoesOnWhenItEnds) {
  Say("root");
  Run([&] {
    Say("a");
    Run([&] { Say("b"); });
    Say("a");
  });
  Say("root");
  EXPECT_EQ(diary_, "root a b a root");
}

TEST_F(FibersTest, WhenAFiberBlocksTheOneSuspendedLastGoesOn) {
  FiberQueue queue;
  Run([&] {
    Run([&] {
      WaitIn(queue);
      Say("b");
    });
    Say("a");
  });
  Say("root");
  ResumeAll(queue);
  Say("root");
  EXPECT_EQ(diary_, "a root b root");
}

TEST_F(FibersTest, AFiberThatBlocksAgainReturnsToWhoeverResumedItAndNotToItsCreator) {
  FiberQueue queue;
  Run([&] {
    Run([&] {
      WaitIn(queue);
      Say("b");
      WaitIn(queue);
      Say("b");
    });
    Say("creator");
    Run([&] {
      ResumeAll(queue);
      Say("resumer");
    });
    Say("creator");
  });
  ResumeAll(queue);
  EXPECT_EQ(diary_, "creator b resumer creator b");
}

TEST_F(FibersTest, ResumedFibersRunInTheOrderGivenAndThenTheResumer) {
  FiberQueue queue;
  for (const char* name : {"a", "b", "c"}) {
    Run([&, name] {
      WaitIn(queue);
      Say(name);
    });
  }
  ResumeAll(queue);
  Say("root");
  EXPECT_EQ(diary_, "a b c root");
}

TEST_F(FibersTest, WhoBlocksAmongTheResumedLetsTheNextOfThemRun) {
  FiberQueue queue, later;
  for (const char* name : {"a", "b"}) {
    Run([&, name] {
      WaitIn(queue);
      Say(name);
      WaitIn(later);
      Say(name);
    });
  }
  ResumeAll(queue);
  Say("root");
  ResumeAll(later);
  EXPECT_EQ(diary_, "a b root a b");
}

TEST_F(FibersTest, ThoseThatAnEndResumesRunBeforeWhoeverWasSuspended) {
  FiberQueue queue;
  for (const char* name : {"a", "b"}) {
    Run([&, name] {
      WaitIn(queue);
      Say(name);
    });
  }
  Run([&] { Say("ends"); }, &queue);
  Say("root");
  EXPECT_EQ(diary_, "ends a b root");
}

TEST_F(FibersTest, WhenNobodyCanRunTheBlockedAreKnownInTheOrderInWhichTheyCame) {
  FiberQueue queue, never;
  const auto wait = [&](FiberQueue& where, uint32_t task) {
    where.Append(fibers_.Running());
    EXPECT_TRUE(fibers_.Block({.task = TaskId{task}, .what = "something"}));
  };
  Run([&] { wait(never, 1); });
  Run([&] {
    wait(queue, 2);
    wait(never, 22);
  });
  Run([&] { wait(never, 3); });
  ResumeAll(queue);
  EXPECT_FALSE(fibers_.Block({.task = kRootTask, .what = "the end"}));
  std::vector<uint32_t> waiting;
  for (const Fiber* fiber = fibers_.FirstBlocked(); fiber != nullptr; fiber = fiber->newer) {
    waiting.push_back(Index(fiber->waiting.task));
  }
  EXPECT_EQ(waiting, (std::vector<uint32_t>{1, 3, 22, 0}));
}

TEST_F(FibersTest, NobodyIsBlockedOnceAllWereResumed) {
  FiberQueue queue;
  for (int i = 0; i < 3; ++i) Run([&] { WaitIn(queue); });
  EXPECT_NE(fibers_.FirstBlocked(), nullptr);
  ResumeAll(queue);
  EXPECT_EQ(fibers_.FirstBlocked(), nullptr);
}

TEST_F(FibersTest, ASwitchKeepsTheRunningTaskItsStackAndItsShadowCallStack) {
  FiberQueue queue;
  execution_.task = TaskId{10};
  execution_.ignored = 1;
  execution_.stack_low = 1000;
  Run([&] {
    EXPECT_NE(__taskrace_top, frames_);
    __taskrace_frame* const mine = __taskrace_top += 3;
    const uintptr_t low = execution_.stack_low;
    const uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    EXPECT_TRUE(low <= here && here < execution_.stack_high);
    execution_.task = TaskId{20};
    execution_.ignored = 0;
    WaitIn(queue);
    EXPECT_EQ(execution_.task, TaskId{20});
    EXPECT_EQ(execution_.ignored, 0u);
    EXPECT_EQ(execution_.stack_low, low);
    EXPECT_EQ(__taskrace_top, mine);
  });
  const auto check_root = [&] {
    EXPECT_EQ(execution_.task, TaskId{10});
    EXPECT_EQ(execution_.ignored, 1u);
    EXPECT_EQ(execution_.stack_low, 1000u);
    EXPECT_EQ(__taskrace_top, frames_);
  };
  check_root();
  ResumeAll(queue);
  check_root();
}

TEST_F(FibersTest, EachFiberHasItsOwnExceptionsInFlight) {
  FiberQueue queue;
  for (int mine = 1; mine <= 3; ++mine) {
    Run([&, mine] {
      EXPECT_EQ(std::current_exception(), nullptr);
      try {
        try {
          throw mine;
        } catch (...) {
          WaitIn(queue);
          throw;
        }
      } catch (int caught) {
        Say(std::to_string(caught));
        EXPECT_EQ(caught, mine);
      }
      EXPECT_EQ(std::current_exception(), nullptr);
    });
    EXPECT_EQ(std::current_exception(), nullptr);
  }
  try {
    throw 'r';
  } catch (...) {
    ResumeAll(queue);
    EXPECT_THROW(throw, char);
  }
  EXPECT_EQ(diary_, "1 2 3");
}

TEST_F(FibersTest, AFiberBegunInAHandlerHandlesNothing) {
  try {
    throw 1;
  } catch (int) {
    Run([&] {
      EXPECT_EQ(std::current_exception(), nullptr);
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    });
    EXPECT_NE(std::current_exception(), nullptr);
  }
}

TEST_F(FibersTest, AStackOfAFiberThatHasEndedServesTheNext) {
  std::vector<uintptr_t> lows;
  for (int i = 0; i < 3; ++i) Run([&] { lows.push_back(execution_.stack_low); });
  EXPECT_EQ(lows[0], lows[1]);
  EXPECT_EQ(lows[1], lows[2]);
}

TEST_F(FibersTest, TenThousandFibersWaitAtOnce) {
  FiberQueue queue;
  int resumed = 0;
  for (int i = 0; i < 10'000; ++i) {
    Run([&, i] {
      WaitIn(queue);
      EXPECT_EQ(resumed++, i);
    });
  }
  ResumeAll(queue);
  EXPECT_EQ(resumed, 10'000);
}

// ---- Random programs, as fibers and in a few lines without any.

// A task creates others, waits for events and sets them; its end sets an event too.
struct Step {
  enum What { kCreate, kGet, kSet } what;
  int event;  // of a create: which its end sets
  std::vector<Step> body;
};
using Body = std::vector<Step>;
constexpr int kEvents = 6;

Body RandomBody(std::mt19937& random, int depth) {
  Body body;
  for (unsigned left = random() % 5; left > 0; --left) {
    Step step{static_cast<Step::What>(random() % 3), static_cast<int>(random() % kEvents), {}};
    if (step.what == Step::kCreate && depth == 0) step.what = Step::kSet;
    if (step.what == Step::kCreate) step.body = RandomBody(random, depth - 1);
    body.push_back(std::move(step));
  }
  return body;
}
// A root that sets every event at its end, so that everybody goes on.
Body RandomProgram(std::mt19937& random) {
  Body program;
  for (int i = 0; i < 5; ++i) {
    program.push_back({Step::kCreate, static_cast<int>(random() % kEvents), RandomBody(random, 3)});
  }
  for (int event = 0; event < kEvents; ++event) program.push_back({Step::kSet, event, {}});
  return program;
}

// The order of steps by the rule: a stack of the suspended, of which the last goes on.
std::vector<const Step*> ByTheRule(const Body& program) {
  struct Task {
    const Body* body;
    int sets_at_end;
    size_t next = 0;
  };
  std::vector<const Step*> order;
  std::vector<std::unique_ptr<Task>> tasks;
  std::vector<Task*> suspended, waiting[kEvents];
  bool is_set[kEvents] = {};
  const auto set = [&](int event) {
    is_set[event] = true;
    suspended.insert(suspended.end(), waiting[event].rbegin(), waiting[event].rend());
    waiting[event].clear();
  };
  suspended.push_back(tasks.emplace_back(new Task{&program, -1}).get());
  while (!suspended.empty()) {
    Task* running = suspended.back();
    suspended.pop_back();
    if (running->next == running->body->size()) {
      if (running->sets_at_end >= 0) set(running->sets_at_end);
      continue;
    }
    const Step& step = (*running->body)[running->next];
    if (step.what == Step::kGet && !is_set[step.event]) {
      waiting[step.event].push_back(running);
      continue;
    }
    ++running->next;
    order.push_back(&step);
    suspended.push_back(running);
    if (step.what == Step::kSet) set(step.event);
    if (step.what == Step::kCreate) {
      suspended.push_back(tasks.emplace_back(new Task{&step.body, step.event}).get());
    }
  }
  return order;
}

TEST_F(FibersTest, RandomProgramsRunInTheOrderOfTheRule) {
  std::mt19937 random(7);
  size_t gets_that_waited = 0;
  for (int round = 0; round < 3'000; ++round) {
    const Body program = RandomProgram(random);
    FiberQueue waiting[kEvents];
    bool is_set[kEvents] = {};
    std::vector<const Step*> order;
    const std::function<void(const Body&)> perform = [&](const Body& body) {
      for (const Step& step : body) {
        if (step.what == Step::kGet && !is_set[step.event]) {
          ++gets_that_waited;
          WaitIn(waiting[step.event]);
        }
        order.push_back(&step);
        if (step.what == Step::kSet) {
          is_set[step.event] = true;
          ResumeAll(waiting[step.event]);
        }
        if (step.what == Step::kCreate) {
          FiberQueue* const at_end = &waiting[step.event];
          bool* const set_at_end = &is_set[step.event];
          Run(
              [&perform, &step, set_at_end] {
                perform(step.body);
                *set_at_end = true;
              },
              at_end);
        }
      }
    };
    perform(program);
    ASSERT_EQ(order, ByTheRule(program)) << "round " << round;
    ASSERT_EQ(fibers_.FirstBlocked(), nullptr);
  }
  EXPECT_GT(gets_that_waited, 1000u);
}

}  // namespace
}  // namespace taskrace

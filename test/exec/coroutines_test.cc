#include "exec/coroutines.h"

#include <gtest/gtest.h>

#include <string>

#include "taskrace/hooks.h"

__thread __taskrace_frame* __taskrace_top = nullptr;

namespace taskrace {
namespace {

// A coroutine that writes down its name and leaves, some times.
struct Walker {
  std::string* log;
  char name;
  int steps;
  Coroutine* coroutine = nullptr;
  Running* running = nullptr;
};

void Walk(void* argument) {
  Walker& walker = *static_cast<Walker*>(argument);
  for (int i = 0; i < walker.steps; ++i) {
    *walker.log += walker.name;
    Coroutines::Leave(walker.coroutine);
  }
  *walker.log += '.';
}

TEST(Coroutines, GoOnWhereTheyLeft) {
  Coroutines coroutines;
  Running running;
  std::string log;
  Walker a{&log, 'a', 2}, b{&log, 'b', 1};
  a.coroutine = coroutines.Begin(Walk, &a, running);
  b.coroutine = coroutines.Begin(Walk, &b, running);
  EXPECT_FALSE(coroutines.Resume(a.coroutine, running));
  EXPECT_FALSE(coroutines.Resume(b.coroutine, running));
  EXPECT_FALSE(coroutines.Resume(a.coroutine, running));
  EXPECT_TRUE(coroutines.Resume(b.coroutine, running));
  EXPECT_TRUE(coroutines.Resume(a.coroutine, running));
  EXPECT_EQ(log, "aba..");
  coroutines.Release(a.coroutine);
  coroutines.Release(b.coroutine);
}

TEST(Coroutines, HaveTheirStackAndTheirRegions) {
  Coroutines coroutines;
  Running running;
  running.ignored = 1;
  running.stack_low = 10;
  running.stack_high = 20;
  std::string log;
  Walker walker{&log, 'x', 1};
  walker.running = &running;
  walker.coroutine = coroutines.Begin(
      [](void* argument) {
        Walker& self = *static_cast<Walker*>(argument);
        const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
        EXPECT_LE(self.running->stack_low, here);
        EXPECT_GT(self.running->stack_high, here);
        EXPECT_EQ(self.running->ignored, 1u);
        self.running->ignored = 2;
        Coroutines::Leave(self.coroutine);
        EXPECT_EQ(self.running->ignored, 2u);
      },
      &walker, running);
  EXPECT_FALSE(coroutines.Resume(walker.coroutine, running));
  EXPECT_EQ(running.stack_low, 10u);
  EXPECT_EQ(running.stack_high, 20u);
  running.ignored = 0;
  EXPECT_TRUE(coroutines.Resume(walker.coroutine, running));
  coroutines.Release(walker.coroutine);
}

}  // namespace
}  // namespace taskrace

#include "exec/baton.h"

#include <gtest/gtest.h>
#include <time.h>

#include <deque>
#include <string>
#include <thread>

namespace taskrace {
namespace {

constexpr size_t kAll = SIZE_MAX;

// Threads that take turns and write down what they do; only the one that has the baton writes.
class Turns {
 public:
  Turns() { baton.Start(main); }
  ~Turns() {
    for (std::thread& thread : running_) thread.join();
  }

  template <class Body>
  void Create(Baton::Thread& creator, Body body) {
    Baton::Thread& created = threads_.emplace_back();
    running_.emplace_back([this, &created, body] {
      baton.AwaitTurn(created);
      body(created);
      baton.End(created);
    });
    baton.Begin(creator, created);
  }

  Baton baton{[] { is_deadlock = true; }};
  Baton::Thread main;
  std::string order;
  static inline bool is_deadlock = false;

 private:
  std::deque<Baton::Thread> threads_;
  std::deque<std::thread> running_;
};

TEST(Baton, ANewThreadRunsBeforeItsCreatorGoesOn) {
  Turns turns;
  turns.Create(turns.main, [&](auto&) { turns.order += 'a'; });
  turns.order += 'm';
  turns.Create(turns.main, [&](auto&) { turns.order += 'b'; });
  EXPECT_EQ(turns.order, "amb");
}

TEST(Baton, WokenThreadsRunInTheOrderInWhichTheyBlockedWhenTheirTurnComes) {
  Turns turns;
  const int gate = 0, other = 0;
  for (char name : {'a', 'b', 'c'}) {
    turns.Create(turns.main, [&turns, &gate, &other, name](auto& self) {
      turns.baton.Block(self, name == 'b' ? &other : &gate, nullptr);
      turns.order += name;
    });
  }
  EXPECT_EQ(turns.baton.Wake(&gate, kAll), 2u);
  turns.order += 'm';
  EXPECT_TRUE(turns.baton.Yield(turns.main));
  EXPECT_EQ(turns.order, "mac");
  EXPECT_EQ(turns.baton.Wake(&other, 1), 1u);
  EXPECT_TRUE(turns.baton.Yield(turns.main));
  EXPECT_EQ(turns.order, "macb");
  EXPECT_FALSE(turns.baton.Yield(turns.main));
}

TEST(Baton, AWaitWithADeadlineEndsThoughNobodyWakesIt) {
  Turns turns;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int nobody = 0;
  EXPECT_FALSE(turns.baton.Block(turns.main, &nobody, &now));
  // It runs beside those that wait longer.
  bool woken = false;
  turns.Create(turns.main, [&](auto& self) { woken = turns.baton.Block(self, &nobody, nullptr); });
  EXPECT_FALSE(turns.baton.Block(turns.main, &now, &now));
  turns.baton.Wake(&nobody, kAll);
  turns.baton.Yield(turns.main);
  EXPECT_TRUE(woken);
}

TEST(Baton, OthersRunWhileAThreadIsAway) {
  Turns turns;
  const int gate = 0;
  turns.Create(turns.main, [&](auto& self) {
    turns.baton.Block(self, &gate, nullptr);
    turns.order += 'a';
  });
  turns.baton.Wake(&gate, kAll);
  turns.baton.Leave(turns.main);
  turns.baton.Return(turns.main);
  EXPECT_EQ(turns.order, "a");
}

TEST(Baton, AThreadThatIsNotKnownCanWakeOneWhileNobodyRuns) {
  Turns turns;
  const int gate = 0;
  std::thread outside([&] {
    while (turns.baton.Wake(&gate, 1) == 0) std::this_thread::yield();
  });
  // The callback returns, as if a signal handler could wake somebody.
  EXPECT_TRUE(turns.baton.Block(turns.main, &gate, nullptr));
  outside.join();
  EXPECT_TRUE(Turns::is_deadlock);
}

}  // namespace
}  // namespace taskrace

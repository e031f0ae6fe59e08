// Futures, promises and forks of the detection build against a fake runtime: which calls they make,
// and when.
#include <gtest/gtest.h>
#include <taskrace/hooks.h>

#include <algorithm>
#include <memory>
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

void Event(const char* event) { fake::events.push_back(event); }

// Writes down when it is destroyed.
struct Traced {
  Traced() = default;
  Traced(Traced&& other) noexcept : live(std::exchange(other.live, false)) {}
  ~Traced() {
    if (live) Event("destroy");
  }
  bool live = true;
};

TEST(DetectedFuture, RunsItsTaskAndIsReleasedInOrder) {
  EXPECT_EQ((Events{"storage", "future", "body", "end", "get", "free"}), EventsOf([] {
              auto value = taskrace::make_future([] {
                Event("body");
                return 1;
              });
              EXPECT_EQ(1, value.get());
            }));
}

TEST(DetectedFuture, ThrowsBeforeAnyCallWhenItIsGotAgain) {
  auto value = taskrace::make_future([] { return 1; });
  value.get();
  EXPECT_EQ(Events(), EventsOf([&] {
              EXPECT_THROW(value.get(), taskrace::future_error);
              EXPECT_THROW(value.wait(), taskrace::future_error);
              taskrace::forked none;
              EXPECT_THROW(none.join(), taskrace::future_error);
            }));
}

TEST(DetectedFuture, DestroysItsCallableInsideTheTask) {
  EXPECT_EQ((Events{"storage", "future", "destroy", "end", "free"}), EventsOf([] {
              (void)taskrace::make_future([traced = Traced()] { return traced.live; });
            }));
}

TEST(DetectedFuture, DestroysItsValueInAnOrderedRegion) {
  EXPECT_EQ(
      (Events{"storage", "future", "end", "get", "ordered", "destroy", "free", "ordered end"}),
      EventsOf([] {
        auto value = taskrace::make_future([] { return Traced(); }).share();
        value.get();
      }));
}

TEST(DetectedFuture, EveryGetOfASharedFutureIsACall) {
  auto value = taskrace::make_future([] {}).share();
  auto copy = value;
  EXPECT_EQ((Events{"get", "get", "get"}), EventsOf([&] {
              value.get();
              copy.wait();
              copy.get();
            }));
}

TEST(DetectedFuture, ReleasesItsStateWhenCopyingTheCallableThrows) {
  struct Uncopyable {
    Uncopyable() = default;
    Uncopyable(const Uncopyable&) { throw 1; }
    void operator()() const {}
  };
  const Uncopyable callable;
  EXPECT_EQ((Events{"storage", "free"}),
            EventsOf([&] { EXPECT_THROW((void)taskrace::make_future(callable), int); }));
}

TEST(DetectedPromise, IsSetAfterItsValueIsInPlace) {
  struct Noted {
    Noted() = default;
    Noted(const Noted&) { Event("copy"); }
  };
  const Noted noted;
  EXPECT_EQ((Events{"promise", "copy", "set", "get", "promise end", "free"}), EventsOf([&] {
              taskrace::promise<Noted> value;
              value.set_value(noted);
              value.get_future().get();
            }));
}

TEST(DetectedPromise, ThatIsSetTwiceMakesNoSecondCall) {
  taskrace::promise<int> value;
  value.set_value(1);
  EXPECT_EQ(Events(), EventsOf([&] { EXPECT_THROW(value.set_value(2), taskrace::future_error); }));
}

TEST(DetectedPromise, IsSetWhenItIsBroken) {
  taskrace::shared_future<int> waiter;
  EXPECT_EQ((Events{"promise", "set"}), EventsOf([&] {
              taskrace::promise<int> value;
              waiter = value.get_future();
            }));
  EXPECT_EQ((Events{"promise", "promise end", "free"}),
            EventsOf([] { taskrace::promise<int> nobody_waits; }));
}

TEST(DetectedFork, IsForkedAndJoined) {
  const int others = fake::joins_of_others;
  EXPECT_EQ((Events{"storage", "fork", "body", "end", "join", "free"}),
            EventsOf([] { taskrace::fork([] { Event("body"); }).join(); }));
  EXPECT_EQ(others, fake::joins_of_others);
}

TEST(DetectedFuture, NoStorageIsLeft) {
  const int before = fake::live_storages;
  for (int i = 0; i < 10; ++i) {
    auto value = taskrace::make_future([i] { return i; });
    taskrace::fork([] {}).join();
    EXPECT_EQ(i, value.get());
  }
  EXPECT_EQ(before, fake::live_storages);
}

}  // namespace

// A task that waits while its creator goes on, done by hand with the runtime's part.
namespace {

TEST(DetectedFuture, ThatNobodyHasAnyMoreOutlivesItsTask) {
  auto probe = std::make_shared<int>(0);
  using State = taskrace::detail::shared_state<std::shared_ptr<int>>;
  const auto end_a_task_whose_future_is_gone = [&probe] {
    auto* state = new State;
    auto value = [&probe] { return probe; };
    state->outcome.set_by(value);
    taskrace::detail::completion::release_inside_task(state);
    return state;
  };
  State* first = end_a_task_whose_future_is_gone();
  EXPECT_EQ(2, probe.use_count()) << "the runtime has not marked it yet";
  first->future()->ready = 1;
  State* second = end_a_task_whose_future_is_gone();
  EXPECT_EQ(2, probe.use_count()) << "the first is gone, the second is not";
  second->future()->ready = 1;
  State* third = end_a_task_whose_future_is_gone();
  EXPECT_EQ(2, probe.use_count());
  third->future()->ready = 1;
}

}  // namespace

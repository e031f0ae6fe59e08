// What futures, promises and forks promise in every build: compiled once for each.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <taskrace/tasks.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using taskrace::future;
using taskrace::future_errc;
using taskrace::make_future;
using taskrace::promise;
using taskrace::shared_future;

static_assert(!std::is_copy_constructible_v<future<int>>);
static_assert(!std::is_copy_constructible_v<promise<int>>);
static_assert(!std::is_copy_constructible_v<taskrace::forked>);
static_assert(std::is_copy_constructible_v<shared_future<int>>);
static_assert(std::is_same_v<decltype(future<int&>().get()), int&>);
static_assert(std::is_same_v<decltype(shared_future<int>().get()), const int&>);
static_assert(std::is_same_v<decltype(shared_future<int&>().get()), int&>);
static_assert(std::is_same_v<decltype(shared_future<void>().get()), void>);

// The code of the future_error that `call` throws; none if it throws nothing of the kind.
template <class Call>
std::optional<future_errc> ErrorOf(Call call) {
  try {
    call();
  } catch (const taskrace::future_error& error) {
    EXPECT_NE(std::string(), error.what());
    return error.code();
  }
  return std::nullopt;
}

TEST(Future, GivesTheValueOfItsTask) {
  future<int> sum = make_future([] { return 40 + 2; });
  EXPECT_TRUE(sum.valid());
  EXPECT_EQ(42, sum.get());
}

TEST(Future, GivesAValueThatCannotBeCopied) {
  auto owner = make_future([] { return std::make_unique<int>(7); });
  const std::unique_ptr<int> owned = owner.get();
  EXPECT_EQ(7, *owned);
}

TEST(Future, GivesAReference) {
  int variable = 1;
  auto reference = make_future([&variable]() -> int& { return variable; });
  reference.get() = 2;
  EXPECT_EQ(2, variable);
}

TEST(Future, OfNothingIsWaitedFor) {
  int done = 0;
  future<void> task = make_future([&done] { done = 1; });
  task.get();
  EXPECT_EQ(1, done);
}

TEST(Future, IsGotOnce) {
  future<int> value = make_future([] { return 1; });
  value.get();
  EXPECT_FALSE(value.valid());
  EXPECT_EQ(future_errc::no_state, ErrorOf([&] { value.get(); }));
  EXPECT_EQ(future_errc::no_state, ErrorOf([&] { value.wait(); }));
}

TEST(Future, ThatRefersToNothingSaysSo) {
  future<int> none;
  EXPECT_FALSE(none.valid());
  EXPECT_EQ(future_errc::no_state, ErrorOf([&] { none.get(); }));
  shared_future<void> shared;
  EXPECT_FALSE(shared.valid());
  EXPECT_EQ(future_errc::no_state, ErrorOf([&] { shared.get(); }));
  EXPECT_EQ(future_errc::no_state, ErrorOf([&] { shared.wait(); }));
}

TEST(Future, HandsOverWhenItIsMoved) {
  future<std::string> first = make_future([] { return std::string("text"); });
  future<std::string> second = std::move(first);
  EXPECT_FALSE(first.valid());
  ASSERT_TRUE(second.valid());
  future<std::string> third;
  third = std::move(second);
  EXPECT_FALSE(second.valid());
  EXPECT_EQ("text", third.get());
}

TEST(Future, CanBeWaitedForAndThenGot) {
  int done = 0;
  future<int> value = make_future([&done] { return ++done; });
  value.wait();
  EXPECT_EQ(1, done);
  value.wait();
  EXPECT_TRUE(value.valid());
  EXPECT_EQ(1, value.get());
}

TEST(Future, OutlivesTheScopeThatMadeIt) {
  future<int> value;
  {
    taskrace::scope tasks;
    tasks.spawn([&value] { value = make_future([] { return 5; }); });
  }
  EXPECT_EQ(5, value.get());
}

TEST(Future, MayBeDroppedAndItsFinishStillWaits) {
  int done = 0;
  taskrace::finish([&done] { (void)make_future([&done] { done = 1; }); });
  EXPECT_EQ(1, done);
}

TEST(Future, ThatIsDroppedDestroysItsValue) {
  const auto shared = std::make_shared<int>(1);
  taskrace::finish([&] { (void)make_future([shared] { return shared; }); });
  EXPECT_EQ(1, shared.use_count());
}

TEST(Future, DestroysItsCallableWhenTheTaskEnds) {
  const auto shared = std::make_shared<int>(1);
  auto value = make_future([shared] { return *shared; });
  value.wait();
  EXPECT_EQ(1, shared.use_count());
  EXPECT_EQ(1, value.get());
}

TEST(Future, CopiesACallableThatIsAnLvalue) {
  struct Counter {
    int calls = 0;
    int operator()() { return ++calls; }
  } counter;
  auto first = make_future(counter);
  auto second = make_future(counter);
  EXPECT_EQ(2, first.get() + second.get());
  EXPECT_EQ(0, counter.calls);
}

TEST(Future, MakesATreeOfFutures) {
  struct Tree {
    static long Sum(int depth) {
      if (depth == 0) return 1;
      auto left = make_future([depth] { return Sum(depth - 1); });
      const long right = Sum(depth - 1);
      return left.get() + right;
    }
  };
  EXPECT_EQ(1 << 12, Tree::Sum(12));
}

TEST(SharedFuture, IsGotManyTimesByManyTasks) {
  const shared_future<std::string> text = make_future([] { return std::string("once"); }).share();
  std::vector<const std::string*> seen(50);
  taskrace::parallel_for(size_t{0}, seen.size(), [&](size_t i) {
    const shared_future<std::string> mine = text;
    seen[i] = &mine.get();
  });
  for (const std::string* address : seen) EXPECT_EQ(&text.get(), address);
  EXPECT_EQ("once", text.get());
}

TEST(SharedFuture, TakesTheResultOverFromTheFuture) {
  future<int> value = make_future([] { return 3; });
  shared_future<int> shared = value.share();
  EXPECT_FALSE(value.valid());
  EXPECT_EQ(3, shared.get());
  shared_future<int> converted = make_future([] { return 4; });
  EXPECT_EQ(4, converted.get());
  shared = converted;
  EXPECT_EQ(4, shared.get());
  EXPECT_FALSE(value.share().valid());
}

TEST(SharedFuture, OfAReferenceAndOfNothing) {
  int variable = 0;
  const shared_future<int&> reference =
      make_future([&variable]() -> int& { return variable; }).share();
  reference.get() = 8;
  EXPECT_EQ(8, reference.get());
  const shared_future<void> nothing = make_future([&variable] { variable = 9; }).share();
  nothing.get();
  nothing.get();
  EXPECT_EQ(9, variable);
}

TEST(SharedFuture, KeepsTheValueUntilTheLastHandle) {
  const auto counted = std::make_shared<int>(1);
  {
    shared_future<std::shared_ptr<int>> outer;
    {
      shared_future<std::shared_ptr<int>> inner =
          make_future([counted] { return counted; }).share();
      inner.wait();
      outer = inner;
      EXPECT_EQ(2, counted.use_count());
    }
    EXPECT_EQ(2, counted.use_count());
  }
  EXPECT_EQ(1, counted.use_count());
}

// Copied where nobody knows yet what it holds.
struct Unknown;
static_assert(std::is_copy_constructible_v<shared_future<Unknown>>);
static_assert(std::is_copy_assignable_v<shared_future<Unknown>>);
struct Unknown {
  int value;
};

TEST(SharedFuture, IsAMemberOfTheClassThatItHolds) {
  struct Node {
    int value;
    shared_future<Node> next;
    std::vector<shared_future<Node>> others;
  };
  promise<Node> last;
  const Node first{1, last.get_future(), {last.get_future()}};
  last.set_value(Node{2, {}, {}});
  Node copy = first;
  copy = Node(copy);
  EXPECT_EQ(2, copy.next.get().value);
  EXPECT_EQ(&first.next.get(), &copy.others.front().get());
  EXPECT_FALSE(copy.next.get().next.valid());
  const shared_future<Unknown> unknown = make_future([] { return Unknown{3}; });
  EXPECT_EQ(3, unknown.get().value);
}

TEST(Promise, GivesWhatWasSet) {
  promise<std::string> text;
  const shared_future<std::string> before = text.get_future();
  text.set_value("value");
  EXPECT_EQ("value", before.get());
  EXPECT_EQ(&before.get(), &text.get_future().get());
}

TEST(Promise, OfMoveOnlyValuesReferencesAndNothing) {
  promise<std::unique_ptr<int>> owner;
  owner.set_value(std::make_unique<int>(6));
  EXPECT_EQ(6, *owner.get_future().get());
  int variable = 0;
  promise<int&> reference;
  reference.set_value(variable);
  EXPECT_EQ(&variable, &reference.get_future().get());
  promise<void> nothing;
  nothing.set_value();
  nothing.get_future().get();
  promise<std::vector<int>> braces;
  braces.set_value({1, 2, 3});
  EXPECT_EQ(3u, braces.get_future().get().size());
}

TEST(Promise, IsSetOnce) {
  promise<int> value;
  value.set_value(1);
  EXPECT_EQ(future_errc::promise_already_satisfied, ErrorOf([&] { value.set_value(2); }));
  EXPECT_EQ(future_errc::promise_already_satisfied,
            ErrorOf([&] { value.set_exception(std::make_exception_ptr(1)); }));
  EXPECT_EQ(1, value.get_future().get());
}

TEST(Promise, StaysUnsetIfItsValueCannotBeMade) {
  struct Stubborn {
    Stubborn() = default;
    Stubborn(const Stubborn&) { throw 1; }
    Stubborn(Stubborn&&) = default;
  };
  promise<Stubborn> value;
  const Stubborn stubborn;
  EXPECT_THROW(value.set_value(stubborn), int);
  EXPECT_EQ(std::nullopt, ErrorOf([&] { value.set_value(Stubborn()); }));
  value.get_future().get();
}

TEST(Promise, HandsAnExceptionToEveryGetter) {
  promise<int> value;
  value.set_exception(std::make_exception_ptr(17));
  const shared_future<int> shared = value.get_future();
  for (int i = 0; i < 2; ++i) EXPECT_THROW(shared.get(), int);
  shared.wait();
}

TEST(Promise, ThatIsDestroyedUnsetIsBroken) {
  shared_future<int> waiter;
  {
    promise<int> value;
    waiter = value.get_future();
  }
  EXPECT_EQ(future_errc::broken_promise, ErrorOf([&] { waiter.get(); }));
  shared_future<void> other;
  promise<void> assigned;
  other = assigned.get_future();
  assigned = promise<void>();
  EXPECT_EQ(future_errc::broken_promise, ErrorOf([&] { other.get(); }));
}

TEST(Promise, ThatWasMovedRefersToNothing) {
  promise<int> first;
  const shared_future<int> value = first.get_future();
  promise<int> second = std::move(first);
  EXPECT_EQ(future_errc::no_state, ErrorOf([&] { (void)first.get_future(); }));
  EXPECT_EQ(future_errc::no_state, ErrorOf([&] { first.set_value(1); }));
  second.set_value(2);
  EXPECT_EQ(2, value.get());
}

TEST(Promise, IsSetByOneTaskForAnother) {
  promise<int> value;
  int seen = 0;
  taskrace::finish([&] {
    taskrace::async([&] { value.set_value(11); });
    taskrace::async([&seen, future = value.get_future()] { seen = future.get(); });
  });
  EXPECT_EQ(11, seen);
}

TEST(Promise, MayBeDestroyedByWhoeverItWakesUp) {
  auto owner = std::make_unique<promise<int>>();
  const shared_future<int> value = owner->get_future();
  owner->set_value(1);
  owner.reset();
  EXPECT_EQ(1, value.get());
}

TEST(Fork, IsOverAfterTheJoin) {
  int done = 0;
  taskrace::forked task = taskrace::fork([&done] { return done = 1; });
  EXPECT_TRUE(task.valid());
  task.join();
  EXPECT_EQ(1, done);
  EXPECT_FALSE(task.valid());
  EXPECT_EQ(future_errc::no_state, ErrorOf([&] { task.join(); }));
}

TEST(Fork, ThatIsNotJoinedIsWaitedForByTheFinish) {
  int done = 0;
  taskrace::finish([&done] { (void)taskrace::fork([&done] { done = 1; }); });
  EXPECT_EQ(1, done);
}

TEST(Fork, JoinsItsLeftNeighbourAlongALine) {
  // Each task joins the one before: a chain of the lattice.
  std::vector<int> order;
  taskrace::forked left;
  for (int i = 0; i < 20; ++i) {
    left = taskrace::fork([&order, i, left = std::move(left)]() mutable {
      if (left.valid()) left.join();
      order.push_back(i);
    });
  }
  left.join();
  ASSERT_EQ(20u, order.size());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(i, order[static_cast<size_t>(i)]);
}

}  // namespace

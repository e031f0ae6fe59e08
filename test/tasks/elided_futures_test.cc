// Futures and promises in the plain build: what they cannot do they say.
#include <gtest/gtest.h>

#include <taskrace/tasks.hpp>

namespace {

TEST(Elided, GetOfAnUnsetPromiseThrowsWouldBlock) {
  taskrace::promise<int> value;
  const auto future = value.get_future();
  try {
    future.get();
    FAIL();
  } catch (const taskrace::future_error& error) {
    EXPECT_EQ(taskrace::future_errc::would_block, error.code());
  }
  value.set_value(1);
  EXPECT_EQ(1, future.get());
}

TEST(Elided, ExceptionOfAFutureLeavesTheCallThatMakesIt) {
  EXPECT_THROW((void)taskrace::make_future([] { throw 1; }), int);
  EXPECT_THROW((void)taskrace::fork([] { throw 1; }), int);
}

TEST(Elided, FutureIsNoLargerThanItsValueAndAFlag) {
  EXPECT_EQ(sizeof(std::optional<long>), sizeof(taskrace::future<long>));
}

}  // namespace

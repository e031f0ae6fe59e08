// A program of fork-join alone keeps oneTBB's own way of waiting, which costs less.
#include <gtest/gtest.h>

#include <taskrace/tasks.hpp>

namespace {

TEST(ForkJoinOnly, DoesNotSuspendTasks) { EXPECT_FALSE(taskrace::detail::tasks_suspend); }

}  // namespace

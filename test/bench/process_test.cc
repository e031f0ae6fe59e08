#include <gtest/gtest.h>

#include <cerrno>

#include "driver/bench_process.h"

namespace taskrace::driver {
namespace {

using How = Finished::How;

Finished Shell(const std::string& script) {
  return RunProcess({.command = {"/bin/sh", "-c", script}});
}

TEST(Process, ExitCodeAndBothStreamsAreKeptApart) {
  const Finished finished = Shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(finished.how, How::kExit);
  EXPECT_EQ(finished.code, 3);
  EXPECT_EQ(finished.out, "out\n");
  EXPECT_EQ(finished.errors, "err\n");
  EXPECT_GT(finished.peak_kib, 100);
}

TEST(Process, ASignalIsNoExitCode) {
  const Finished finished = Shell("kill -SEGV $$");
  EXPECT_EQ(finished.how, How::kSignal);
  EXPECT_EQ(finished.Ending(), "signal 11 (Segmentation fault)");
}

TEST(Process, AProgramThatIsNotThereSaysWhy) {
  const Finished finished = RunProcess({.command = {"/none/such"}});
  EXPECT_EQ(finished.how, How::kNotStarted);
  EXPECT_EQ(finished.code, ENOENT);
}

TEST(Process, ATimeoutEndsTheChildrenToo) {
  const Finished finished =
      RunProcess({.command = {"/bin/sh", "-c", "sleep 1000 & echo $!; wait"}, .timeout_s = 0.2});
  EXPECT_EQ(finished.how, How::kTimeout);
  const int child = std::stoi(finished.out);
  // A process that is gone, or dead and not yet buried by init.
  const Finished state = Shell("cat /proc/" + std::to_string(child) + "/stat 2>/dev/null");
  EXPECT_TRUE(state.out.empty() || state.out.find(") Z ") != std::string::npos) << state.out;
}

TEST(Process, AChildThatHoldsThePipeDoesNotHoldUsUp) {
  EXPECT_EQ(RunProcess({.command = {"/bin/sh", "-c", "sleep 5 & exit 0"}, .timeout_s = 4}).how,
            How::kExit);
}

TEST(Process, MuchOutputIsNoDeadlock) {
  const Finished finished = Shell("head -c 6000000 /dev/zero; echo end >&2");
  EXPECT_EQ(finished.out.size(), size_t{4} << 20);
  EXPECT_EQ(finished.errors, "end\n");
}

TEST(Process, TheEnvironmentIsOursWithWhatIsSetOnTop) {
  setenv("BENCH_TEST_A", "a", 1);
  setenv("BENCH_TEST_B", "b", 1);
  const Finished finished =
      RunProcess({.command = {"/bin/sh", "-c", "echo $BENCH_TEST_A$BENCH_TEST_B"},
                  .environment = {{"BENCH_TEST_B", "c"}}});
  EXPECT_EQ(finished.out, "ac\n");
}

TEST(Process, ItGetsAsManyCoresAsItIsGiven) {
  const Finished finished = RunProcess({.command = {"/usr/bin/nproc"}, .cpus = 1});
  EXPECT_EQ(finished.out, "1\n");
}

}  // namespace
}  // namespace taskrace::driver

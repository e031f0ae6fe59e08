#include <gtest/gtest.h>

#include "driver/bench_options.h"

namespace taskrace::driver {
namespace {

std::string ErrorOf(const std::vector<std::string>& arguments) {
  const auto request = ReadBenchRequest(arguments);
  return request ? "" : request.error();
}

TEST(BenchOptions, WithoutAnyAllConfigsAreMeasuredAtSizeSmall) {
  const auto request = ReadBenchRequest({});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->size, "small");
  EXPECT_TRUE(request->names.empty());
  EXPECT_EQ(request->configs, (std::vector{Config::kPlain, Config::kNative, Config::kParallelOne,
                                           Config::kParallelTwo, Config::kReach,
                                           Config::kInstrument, Config::kFull}));
}

TEST(BenchOptions, AValueStandsBehindAnEqualsSignOrInTheNextArgument) {
  const auto request = ReadBenchRequest({"--json", "-", "lcs", "--repeat=3", "stint"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->json, "-");
  EXPECT_EQ(request->repeat, 3);
  EXPECT_TRUE(request->repeat_is_exact);
  EXPECT_EQ(request->names, (std::vector<std::string>{"lcs", "stint"}));
}

TEST(BenchOptions, PlainIsMeasuredEvenIfNotAskedFor) {
  const auto request = ReadBenchRequest({"--config=full"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->configs, (std::vector{Config::kPlain, Config::kFull}));
}

TEST(BenchOptions, APeerBringsTheParallelBuildItIsHeldAgainst) {
  const auto request = ReadBenchRequest({"--config=full", "--peer=tsan"});
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->Runs(Config::kParallelOne));
  EXPECT_TRUE(request->Runs(Config::kTsanAll));
}

TEST(BenchOptions, ASerialPeerNeedsNothingButPlain) {
  const auto request = ReadBenchRequest({"--config=full", "--peer=tsan-serial"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->configs, (std::vector{Config::kPlain, Config::kFull, Config::kTsanSerial}));
}

TEST(BenchOptions, CountingAndCheckingAreAtSizeTestUnlessTheUserSaysOtherwise) {
  EXPECT_EQ(ReadBenchRequest({"--count"})->size, "test");
  EXPECT_EQ(ReadBenchRequest({"--check", "--size=small"})->size, "small");
}

TEST(BenchOptions, CheckingRunsOnlyWhatItIsAskedTo) {
  EXPECT_EQ(ReadBenchRequest({"--check", "--config=full"})->configs, std::vector{Config::kFull});
}

TEST(BenchOptions, AMistakeIsNamedTogetherWithWhatWouldDo) {
  EXPECT_EQ(ErrorOf({"--timout=3"}), "unknown option '--timout=3'; did you mean timeout?");
  EXPECT_EQ(ErrorOf({"--size=smal"}), "option size: unknown value 'smal'; did you mean small?");
  EXPECT_EQ(ErrorOf({"--config=plain,ful"}),
            "option config: unknown value 'ful'; did you mean full or full-parallel?");
  EXPECT_EQ(ErrorOf({"--peer=helgrind"}),
            "option peer: unknown value 'helgrind'; valid names: tsan, tsan-serial");
  EXPECT_EQ(ErrorOf({"--repeat=0"}), "option repeat: '0' is not a number from 1 to 1000");
  EXPECT_EQ(ErrorOf({"--timeout", "5x"}), "option timeout: '5x' is not a number from 1 to 1000000");
  EXPECT_EQ(ErrorOf({"--json"}), "option json has no value; write --json=FILE");
  EXPECT_EQ(ErrorOf({"--json="}), "option json has no value; name a file");
  EXPECT_EQ(ErrorOf({"--list=1"}), "option list takes no value");
  EXPECT_NE(ErrorOf({"--engine=spbag"}).find("spbags"), std::string::npos);
  EXPECT_NE(ErrorOf({"-x"}).find("unknown option '-x'"), std::string::npos);
}

TEST(BenchOptions, OptionsThatContradictEachOtherAreRefused) {
  EXPECT_NE(ErrorOf({"--list", "--count"}), "");
  EXPECT_NE(ErrorOf({"--compare=x.json"}), "");
  EXPECT_NE(ErrorOf({"--check", "--plot=x.svg"}), "");
  EXPECT_NE(ErrorOf({"--list", "--json=x.json"}), "");
}

TEST(BenchOptions, TheHelpNamesEveryOption) {
  const std::string help = BenchOptionsHelp();
  for (const char* option :
       {"--size=", "--config=", "--engine=", "--history=", "--peer=", "--repeat=", "--timeout=",
        "--json=", "--plot=", "--work=", "--jobs=", "--list", "--count", "--compare=", "--check"}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
  }
}

}  // namespace
}  // namespace taskrace::driver

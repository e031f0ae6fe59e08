#include "report/suppressions.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "sample.h"

namespace taskrace::report {
namespace {

// A race between these frames, on `variable`, in a task created by `creator`.
class SuppressionsTest : public testing::Test {
 protected:
  bool Suppressed(const std::string& rule) {
    auto rules = Suppressions::Parse(rule, "rules");
    EXPECT_TRUE(rules) << rule;
    return rules && rules->Match({{&first_, &second_}, {&creation_}, "ns::total"}) != nullptr;
  }

  Stack first_ = {
      {.function = "void ns::add<int>(std::vector<int>&)", .file = "/src/deep/sum.cpp", .line = 12},
      {.function = "main::$_0::operator()() const", .file = "/src/main.cpp", .line = 3}};
  Stack second_ = {{.function = "ns::read()", .file = "/src/deep/sum.cpp", .line = 20}};
  Stack creation_ = {{.function = "start(int)", .file = "/src/main.cpp", .line = 40}};
};

TEST_F(SuppressionsTest, RaceMatchesAFunctionOnAnyFrameOfEitherStack) {
  EXPECT_TRUE(Suppressed("race:ns::add"));
  EXPECT_TRUE(Suppressed("race:ns::add<int>"));
  EXPECT_TRUE(Suppressed("race:void ns::add<int>(*)"));
  EXPECT_TRUE(Suppressed("race:ns::r?ad"));
  EXPECT_TRUE(Suppressed("race:main::*"));
  EXPECT_FALSE(Suppressed("race:add"));
  EXPECT_FALSE(Suppressed("race:start"));
}

TEST_F(SuppressionsTest, RaceMatchesAFileAndALine) {
  EXPECT_TRUE(Suppressed("race:sum.cpp"));
  EXPECT_TRUE(Suppressed("race:sum.cpp:20"));
  EXPECT_TRUE(Suppressed("race:deep/*.cpp:12"));
  EXPECT_TRUE(Suppressed("race:/src/main.cpp:3"));
  EXPECT_FALSE(Suppressed("race:sum.cpp:3"));
  EXPECT_FALSE(Suppressed("race:um.cpp"));
  EXPECT_FALSE(Suppressed("race:main.cpp:40"));
}

TEST_F(SuppressionsTest, VariablesAndTasksHaveTheirOwnRules) {
  EXPECT_TRUE(Suppressed("race_var:ns::tot*"));
  EXPECT_FALSE(Suppressed("race_var:total"));
  EXPECT_TRUE(Suppressed("task:start"));
  EXPECT_FALSE(Suppressed("task:ns::add"));
}

TEST_F(SuppressionsTest, CommentsAndBlankLinesAreNoRules) {
  EXPECT_TRUE(Suppressed("# all of it\n\n   race:ns::read  \r\n"));
  EXPECT_FALSE(Suppressed("#race:ns::read\n"));
}

TEST_F(SuppressionsTest, ACommentMayFollowARule) {
  EXPECT_TRUE(Suppressed("race_var:ns::total # off by a few\n"));
  EXPECT_TRUE(Suppressed("race:ns::read\t#why\n"));
  // Part of a name: the demangler numbers lambdas so.
  second_[0].function = "f()::{lambda()#1}::operator()() const";
  EXPECT_TRUE(Suppressed("race:f()::{lambda()#1}*"));
  EXPECT_FALSE(Suppressed("race:f()::{lambda()#2}*"));
}

TEST_F(SuppressionsTest, AByteOrderMarkIsNoPartOfTheFirstRule) {
  EXPECT_TRUE(Suppressed("\xEF\xBB\xBFrace:ns::read\n"));
}

TEST_F(SuppressionsTest, ARuleMayBeWrittenWithTheTagsOfTheCompiler) {
  EXPECT_TRUE(Suppressed("race_var:ns::total[abi:cxx11]"));
  EXPECT_TRUE(Suppressed("race_var:ns::total.llvm.3931"));
}

TEST(Suppressions, APipeIsRefusedInsteadOfWaitedFor) {
  const TemporaryDirectory directory;
  ASSERT_EQ(mkfifo(directory.Path("pipe").c_str(), 0600), 0);
  EXPECT_NE(Suppressions::Read(directory.Path("pipe")).error().find("not a regular file"),
            std::string::npos);
}

TEST(Suppressions, ErrorsNameFileAndLine) {
  EXPECT_EQ(
      Suppressions::Parse("race:a\n\nrase:b\n", "my.supp").error(),
      "my.supp:3: 'rase:b' is not a rule; a rule begins with race:, race_var:, task: or library:");
  EXPECT_EQ(Suppressions::Parse("race\n", "s").error(), "s:1: a ':' and a pattern are missing");
  EXPECT_EQ(Suppressions::Parse("task: \n", "s").error(), "s:1: the pattern is missing");
  EXPECT_NE(Suppressions::Read("/nowhere/s").error().find("/nowhere/s"), std::string::npos);
}

TEST(Suppressions, GlobsMatchWholeNames) {
  EXPECT_TRUE(GlobMatch("*", ""));
  EXPECT_TRUE(GlobMatch("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(GlobMatch("a*b", "abc"));
  EXPECT_TRUE(GlobMatch("operator[]", "operator[]"));
  EXPECT_FALSE(GlobMatch("?", ""));
}

TEST(Suppressions, AFileThatIsNotARegularOneIsRefusedAndNotWaitedFor) {
  const TemporaryDirectory directory;
  ASSERT_EQ(mkfifo(directory.Path("pipe").c_str(), 0600), 0);
  const auto read = Suppressions::Read(directory.Path("pipe"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), "cannot read the suppressions " + directory.Path("pipe") +
                              ": it is not a regular file");
}

}  // namespace
}  // namespace taskrace::report

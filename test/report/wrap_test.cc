#include "report/wrap.h"

#include <gtest/gtest.h>

#include <sstream>

#include "report/bytes.h"

namespace taskrace::report {
namespace {

TEST(Wrap, WhatFitsStaysAsItIs) {
  EXPECT_EQ(Wrapped("", 0, 10), "");
  EXPECT_EQ(Wrapped("one, two (three)", 0, 10), "one, two (three)");
  const std::string exact(kWidth, 'x');
  EXPECT_EQ(Wrapped(exact, 0, 10), exact);
}

TEST(Wrap, BreaksWhereAClauseEnds) {
  const std::string first = "taskrace: " + std::string(70, 'a') + " is here";
  EXPECT_EQ(Wrapped(first + " (and a note in brackets)", 0, 10),
            first + "\n          (and a note in brackets)");
  EXPECT_EQ(Wrapped(first + ", then more of it", 0, 4), first + ",\n    then more of it");
}

TEST(Wrap, PrefersTheEndOfAPartToAComma) {
  const std::string first = "taskrace: " + std::string(60, 'a') + ";";
  EXPECT_EQ(Wrapped(first + " engine spbags, history shadow", 0, 10),
            first + "\n          engine spbags, history shadow");
}

TEST(Wrap, LeavesNoLineMostlyEmpty) {
  const std::string rest =
      "(4 bytes) of " + std::string(50, 'f') + ", declared at " + std::string(15, 'p') + ":7";
  EXPECT_EQ(Wrapped("variable " + rest, 9, 9), "variable (4 bytes) of " + std::string(50, 'f') +
                                                   ",\n         declared at " +
                                                   std::string(15, 'p') + ":7");
}

TEST(Wrap, CountsWhatStandsBeforeTheText) {
  const std::string text = std::string(60, 'a') + ", " + std::string(20, 'b');
  EXPECT_EQ(Wrapped(text, 10, 4), text);
  EXPECT_EQ(Wrapped(text, 30, 4), std::string(60, 'a') + ",\n    " + std::string(20, 'b'));
}

TEST(Wrap, BreaksBetweenWordsOnlyInsideAClauseThatIsLongerThanALine) {
  std::string clause;
  for (int i = 0; i < 60; ++i) clause += (i == 0 ? "" : " ") + std::string("word");
  std::istringstream lines(Wrapped("short, " + clause, 0, 10));
  std::string line;
  std::string joined;
  while (std::getline(lines, line)) {
    EXPECT_LE(Columns(line), kWidth);
    line.erase(0, line.find_first_not_of(' '));
    joined += (joined.empty() ? "" : " ") + line;
  }
  EXPECT_EQ(joined, "short, " + clause);
}

TEST(Wrap, APathStaysWhole) {
  const std::string path(150, 'p');
  EXPECT_EQ(Wrapped("cannot read " + path + "; look there", 0, 10),
            "cannot read\n          " + path + ";\n          look there");
}

TEST(Wrap, ColumnsAreCharactersAndNotBytes) {
  std::string umlauts;
  for (int i = 0; i < 60; ++i) umlauts += "ü";
  EXPECT_EQ(Wrapped(umlauts + ", " + std::string(30, 'x'), 0, 10),
            umlauts + ", " + std::string(30, 'x'));
}

}  // namespace
}  // namespace taskrace::report

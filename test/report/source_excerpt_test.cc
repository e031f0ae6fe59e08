#include "report/source_excerpt.h"

#include <gtest/gtest.h>

#include "report/bytes.h"
#include "sample.h"

namespace taskrace::report {
namespace {

TEST(SourceExcerpt, TheCaretCountsCharactersNotBytes) {
  const Excerpt excerpt = MakeExcerpt("\tü = x;", 7, 80);
  EXPECT_EQ(excerpt.text, " ü = x;");
  EXPECT_EQ(excerpt.caret, 5u);
}

TEST(SourceExcerpt, WithoutAColumnTheCaretIsAtTheFirstWord) {
  EXPECT_EQ(MakeExcerpt("   f();", 0, 80).caret, 3u);
  EXPECT_EQ(MakeExcerpt("", 0, 80).caret, 0u);
  EXPECT_EQ(MakeExcerpt("f();", 900, 80).caret, 4u);
}

TEST(SourceExcerpt, LongLinesAreCutAroundTheCaret) {
  const std::string line = std::string(500, 'a') + "X" + std::string(500, 'b');
  const Excerpt excerpt = MakeExcerpt(line, 501, 80);
  EXPECT_LE(excerpt.text.size(), 84u);
  EXPECT_EQ(excerpt.text[excerpt.caret], 'X');
}

TEST(SourceExcerpt, ControlCharactersAreShown) {
  EXPECT_EQ(MakeExcerpt("a\033[2J", 1, 80).text, "a\\x1B[2J");
}

TEST(SourceFiles, LinesThatAreNotThereAreNone) {
  const TemporaryDirectory directory;
  WriteFile(directory.Path("a.cc"), "one\ntwo\n");
  SourceFiles files;
  EXPECT_EQ(files.Line(directory.Path("a.cc"), 2), "two");
  EXPECT_EQ(files.Line(directory.Path("a.cc"), 3), std::nullopt);
  EXPECT_EQ(files.Line(directory.Path("a.cc"), 0), std::nullopt);
  EXPECT_EQ(files.Line(directory.Path("b.cc"), 1), std::nullopt);
  EXPECT_EQ(files.Line("/dev/zero", 1), std::nullopt);
}

}  // namespace
}  // namespace taskrace::report

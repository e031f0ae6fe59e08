#include "report/bytes.h"

#include <gtest/gtest.h>

namespace taskrace::report {
namespace {

TEST(Bytes, PrintableKeepsTextAndShowsControlCharactersAndStrayBytes) {
  EXPECT_EQ(Printable("plain ümlaut"), "plain ümlaut");
  EXPECT_EQ(Printable("a\x1b[31m\n\x7f"), "a\\x1B[31m\\x0A\\x7F");
  EXPECT_EQ(Printable("\xff\xc3"), "\\xFF\\xC3");
  EXPECT_EQ(Printable("\xc2\x9b"), "\\xC2\\x9B") << "a control character of eight bits";
}

TEST(Bytes, OverlongFormsAndSurrogatesAreNoUtf8) {
  EXPECT_EQ(ValidUtf8("\xc0\x80"), "\\xC0\\x80");
  EXPECT_EQ(ValidUtf8("\xe0\x80\x80"), "\\xE0\\x80\\x80");
  EXPECT_EQ(ValidUtf8("\xed\xa0\x80"), "\\xED\\xA0\\x80");
  EXPECT_EQ(ValidUtf8("\xf4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80");
  EXPECT_EQ(ValidUtf8("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
}

TEST(Bytes, EveryStringOfTwoBytesComesBackFromBehindTheShield) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string bytes = {static_cast<char>(first), static_cast<char>(second)};
      ASSERT_EQ(Unshield(Shield(bytes)), bytes);
      ASSERT_EQ(ValidUtf8(Shield(bytes)), Shield(bytes)) << "the shielded form must be UTF-8";
    }
  }
}

TEST(Bytes, TheShieldsOwnCodePointsComeBackToo) {
  for (const std::string bytes : {"\xf4\x8f\xbc\x81", "\xf4\x8f\xbf\xbf", "x\xf4\x8f\xbe"}) {
    EXPECT_EQ(Unshield(Shield(bytes)), bytes);
  }
}

}  // namespace
}  // namespace taskrace::report

#include "report/members.h"

#include <gtest/gtest.h>

namespace taskrace::report {
namespace {

constexpr uint64_t kAnyLine = 0;

TEST(DebugEntries, HaveTheirOffsetTagAndAttributes) {
  const auto entries = ParseDebugEntries(
      "/a.out:\tfile format elf64-x86-64\n\n"
      "0x0000003e: DW_TAG_structure_type\n"
      "              DW_AT_name\t(\"Row (of a table)\")\n"
      "              DW_AT_byte_size\t(0x30)\n\n"
      "0x00000044:   DW_TAG_member\n"
      "                DW_AT_type\t(0x00000078 \"int\")\n"
      "                DW_AT_decl_line\t(12)\n\n"
      "0x0000004d:   NULL\n");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].offset, 0x3eu);
  EXPECT_EQ(entries[0].tag, "structure_type");
  EXPECT_EQ(entries[0].Text("name"), "Row (of a table)");
  EXPECT_EQ(entries[0].Number("byte_size"), 0x30u);
  EXPECT_EQ(entries[1].Number("type"), 0x78u);
  EXPECT_EQ(entries[1].Text("type"), "int");
  EXPECT_EQ(entries[1].Number("decl_line"), 12u);
  EXPECT_LT(entries[0].depth, entries[1].depth);
  EXPECT_FALSE(entries[1].Has("name"));
}

class MembersOfTheSample : public testing::Test {
 protected:
  std::string Path(uint64_t offset, uint64_t size, const char* name = "sample::sample_rows") {
    return members_.Path(SAMPLE_PROGRAM, name, kAnyLine, offset, size);
  }
  Members members_;
};

// struct Row { int id; struct { double x, y; } point[2]; char name[8]; } of 48 bytes, [3][4] of them.
TEST_F(MembersOfTheSample, AreNamedWithTheirIndices) {
  EXPECT_EQ(Path(0, 4), "[0][0].id");
  EXPECT_EQ(Path(48 * 6 + 8 + 16 + 8, 8), "[1][2].point[1].y");
  EXPECT_EQ(Path(48 * 11 + 40 + 7, 1), "[2][3].name[7]");
}
TEST_F(MembersOfTheSample, BytesOfSeveralAreNamedByWhatHasThemAll) {
  EXPECT_EQ(Path(48 + 8, 16), "[0][1].point[0]");
  EXPECT_EQ(Path(48 + 4, 8), "[0][1]");
  EXPECT_EQ(Path(48 * 3, 96), "");
}
TEST_F(MembersOfTheSample, NothingIsSaidOfWhatIsNotKnown) {
  EXPECT_EQ(Path(0, 4, "no_such_variable"), "");
  EXPECT_EQ(Path(0, 4, "sample::sample_rows<int>"), "");
  EXPECT_EQ(members_.Path(SAMPLE_PROGRAM, "sample_rows", 1, 0, 4), "") << "another line";
  EXPECT_EQ(members_.Path("/no/such/program", "sample_rows", kAnyLine, 0, 4), "");
}

}  // namespace
}  // namespace taskrace::report

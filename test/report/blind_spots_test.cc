#include "report/blind_spots.h"

#include <gtest/gtest.h>

#include "report/elf_file.h"
#include "sample.h"
#include "taskrace/hooks.h"

namespace taskrace::report {
namespace {

TEST(ElfFile, ReadsMarkersWhetherTheFileIsPositionIndependentOrNot) {
  for (const char* path : {BLIND_PROGRAM, BLIND_PROGRAM_FIXED}) {
    const auto markers = ElfFile(path).Markers();
    ASSERT_EQ(markers.size(), 1u) << path;
    EXPECT_EQ(markers[0].abi_version, TASKRACE_ABI_VERSION);
    EXPECT_EQ(markers[0].source, "some/folder/blind_marked.c");
  }
}

TEST(ElfFile, SurvivesFilesCutAtAnyLength) {
  const TemporaryDirectory directory;
  const std::string whole = ReadFile(BLIND_PROGRAM);
  for (size_t length = 0; length < whole.size(); length += 61) {
    WriteFile(directory.Path("cut"), whole.substr(0, length));
    const ElfFile file(directory.Path("cut"));
    file.Markers();
    file.SourceNames();
    file.Interpreter();
    EXPECT_EQ(file.IsElf(), length >= 64) << length;
  }
}

TEST(ElfFile, OtherFilesAreNoElf) {
  EXPECT_FALSE(ElfFile("/dev/null").IsElf());
  EXPECT_FALSE(ElfFile("/").IsElf());
  EXPECT_FALSE(ElfFile("/nowhere").IsElf());
  EXPECT_FALSE(ElfFile(SAMPLE_SOURCE).IsElf());
}

TEST(BlindSpots, AreTheSourcesWithoutAMarker) {
  EXPECT_EQ(UninstrumentedObjects(BLIND_PROGRAM), std::vector<std::string>{"blind_plain.c"});
  EXPECT_TRUE(UninstrumentedObjects("/nowhere").empty());
}

TEST(BlindSpots, AreTheSourcesThatTheirMarkersSayHaveUnknownAccesses) {
  EXPECT_EQ(SourcesWithUnknownAccesses(BLIND_PROGRAM), std::vector<std::string>{"blind_marked.c"});
  EXPECT_TRUE(SourcesWithUnknownAccesses("/nowhere").empty());
}

}  // namespace
}  // namespace taskrace::report

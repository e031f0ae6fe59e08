// The description of the programs, the marks in their sources, and reports held against them.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "driver/bench_seeded.h"
#include "driver/bench_suite.h"

namespace taskrace::driver {
namespace {

constexpr char kPrograms[] = R"({
  "classes": {"nested": ["spbags", "multibags"], "futures": ["multibags"]},
  "groups": [{"group": "one", "title": "One", "remark": "r", "geomean": 5.5},
             {"group": "two", "title": "Two"}],
  "programs": [
    {"name": "one/fft", "group": "one", "source": "one/fft.cpp", "constructs": ["scope"],
     "class": "nested", "paper": {"overhead": 12.5}},
    {"name": "one/lcs-general", "group": "one", "variant": "general", "source": "one/lcs.cpp",
     "constructs": ["future"], "class": "futures", "libraries": ["-lz"], "paper": {"overhead": null}},
    {"name": "two/fft", "group": "two", "source": "two/fft.cpp", "constructs": ["async"],
     "class": "nested"}]})";

class SuiteTest : public testing::Test {
 protected:
  SuiteTest() {
    char name[] = "/tmp/bench_suite_test.XXXXXX";
    directory_ = mkdtemp(name);
    Write("programs.json", kPrograms);
  }
  ~SuiteTest() override { std::filesystem::remove_all(directory_); }

  void Write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = directory_ + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  std::vector<std::string> Selected(const std::vector<std::string>& names) {
    std::vector<std::string> selected;
    const auto suite = ReadSuite(directory_);
    const auto programs = suite->Select(names);
    if (!programs) return {"error: " + programs.error()};
    for (const BenchProgram& program : *programs) selected.push_back(program.name);
    return selected;
  }

  std::string directory_;
};

TEST_F(SuiteTest, AProgramHasWhatTheFileSays) {
  const auto suite = ReadSuite(directory_);
  ASSERT_TRUE(suite) << suite.error();
  const BenchProgram& lcs = suite->programs[1];
  EXPECT_EQ(lcs.ShortName(), "lcs");
  EXPECT_EQ(lcs.libraries, std::vector<std::string>{"-lz"});
  EXPECT_FALSE(lcs.paper.full);
  EXPECT_EQ(suite->programs[0].paper.full, 12.5);
  EXPECT_TRUE(lcs.IsHandledBy("auto"));
  EXPECT_TRUE(lcs.IsHandledBy("multibags"));
  EXPECT_FALSE(lcs.IsHandledBy("spbags"));
}

TEST_F(SuiteTest, AGroupCanBeOfNoPaper) {
  const auto suite = ReadSuite(directory_);
  ASSERT_TRUE(suite) << suite.error();
  EXPECT_EQ(suite->groups[1].title, "Two");
  EXPECT_EQ(suite->groups[1].remark, "");
  EXPECT_FALSE(suite->groups[1].geomean);
  EXPECT_FALSE(suite->programs[2].paper.full);
}

TEST_F(SuiteTest, ANameMeansAProgramAPaperOrAProgramOfAnyPaper) {
  EXPECT_EQ(Selected({}).size(), 3u);
  EXPECT_EQ(Selected({"one/fft"}), std::vector<std::string>{"one/fft"});
  EXPECT_EQ(Selected({"fft"}), (std::vector<std::string>{"one/fft", "two/fft"}));
  EXPECT_EQ(Selected({"one"}), (std::vector<std::string>{"one/fft", "one/lcs-general"}));
  EXPECT_EQ(Selected({"two", "lcs"}), (std::vector<std::string>{"one/lcs-general", "two/fft"}));
  EXPECT_EQ(Selected({"lcs-general"}), std::vector<std::string>{"one/lcs-general"});
}

TEST_F(SuiteTest, AnUnknownNameIsRefusedWithWhatItMayBeASlipOf) {
  EXPECT_EQ(Selected({"fft", "one/ftf"}),
            std::vector<std::string>{"error: unknown benchmark 'one/ftf'; did you mean one/fft?"});
  EXPECT_EQ(
      Selected({"zzzzzzzz"}),
      std::vector<std::string>{"error: unknown benchmark 'zzzzzzzz'; see taskrace bench --list"});
}

TEST_F(SuiteTest, AFileThatIsMissingOrDamagedIsNamed) {
  Write("programs.json", "{\"programs\": [");
  EXPECT_NE(ReadSuite(directory_).error().find(directory_ + "/programs.json: "), std::string::npos);
  EXPECT_NE(ReadSuite(directory_ + "/none").error().find("benchmark programs are missing"),
            std::string::npos);
}

TEST_F(SuiteTest, AMarkIsForTheLineBelowAllMarks) {
  Write("one/fft.cpp",
        "int a;\n"
        "  // Seeded race: one/fft, two/fft\n"
        "  // Seeded race, possibly: one/lcs-general\n"
        "  a = 1;\n"
        "  a = 2;\n");
  const auto marks = ReadSeededMarks(directory_);
  ASSERT_TRUE(marks);
  const SeededMarks::Lines line = {{"one/fft.cpp", 4}};
  EXPECT_EQ(marks->at("one/fft").certain, line);
  EXPECT_EQ(marks->at("two/fft").certain, line);
  EXPECT_TRUE(marks->at("one/lcs-general").certain.empty());
  EXPECT_EQ(marks->at("one/lcs-general").possible, line);
}

nlohmann::json Access(const std::string& file, int line) {
  return {{"stack", {{{"file", file}, {"line", line}}, {{"file", file}, {"line", 99}}}}};
}

TEST_F(SuiteTest, AReportIsReadByTheInnermostFramesOfBothAccesses) {
  Write("one/fft.cpp", "");
  const nlohmann::json report = {
      {"races",
       {{{"accesses", {Access(directory_ + "/one/../one/fft.cpp", 4), Access("/usr/x.h", 7)}}}}}};
  EXPECT_EQ(ReportedLines(report, directory_),
            (SeededMarks::Lines{{"/usr/x.h", 7}, {"one/fft.cpp", 4}}));
}

TEST(Seeded, WhatIsMissingAndWhatIsTooMuchAreComplainedOf) {
  const SeededMarks marks{.certain = {{"a.cpp", 1}, {"a.cpp", 2}}, .possible = {{"a.cpp", 3}}};
  EXPECT_TRUE(SeededComplaints({{"a.cpp", 1}, {"a.cpp", 2}}, marks).empty());
  EXPECT_TRUE(SeededComplaints({{"a.cpp", 1}, {"a.cpp", 2}, {"a.cpp", 3}}, marks).empty());
  EXPECT_EQ(
      SeededComplaints({{"a.cpp", 1}, {"b.h", 9}}, marks),
      (std::vector<std::string>{"reports b.h:9, which is not marked", "does not report a.cpp:2"}));
  EXPECT_EQ(SeededComplaints({}, {}), std::vector<std::string>{"no line of the source is marked"});
}

nlohmann::json Race(const char* name, uint64_t offset, uint64_t size) {
  return {{"address", "0x1000"},
          {"size", size},
          {"location",
           {{"what", "global"},
            {"name", name},
            {"function", ""},
            {"size", 64},
            {"offset", offset},
            {"allocated_at", nlohmann::json::array()}}}};
}

TEST(Seeded, RacyBytesAreTheSameHoweverTheReportsAreCut) {
  const nlohmann::json whole = {{"races", {Race("x", 4, 4)}}};
  const nlohmann::json parts = {{"races", {Race("x", 6, 2), Race("x", 4, 2)}}};
  const nlohmann::json other = {{"races", {Race("y", 4, 4)}}};
  const nlohmann::json fewer = {{"races", {Race("x", 4, 3)}}};
  EXPECT_EQ(RacyBytes(whole), RacyBytes(parts));
  EXPECT_NE(RacyBytes(whole), RacyBytes(other));
  EXPECT_NE(RacyBytes(whole), RacyBytes(fewer));
}

}  // namespace
}  // namespace taskrace::driver

// The figures, the table and the JSON file.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "driver/bench_json.h"
#include "driver/bench_table.h"
#include "report/bytes.h"
#include "test/bench/sample_results.h"

namespace taskrace::driver {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The cells of the line that begins with `first`.
std::vector<std::string> Cells(const std::string& table, const std::string& first) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> cells{std::istream_iterator<std::string>(words), {}};
    if (!cells.empty() && cells[0] == first) return cells;
  }
  return {};
}

using Strings = std::vector<std::string>;

class TableTest : public testing::Test {
 protected:
  std::string Table() const { return RenderTables(suite_, results_, request_); }

  Suite suite_ = SampleSuite();
  std::vector<BenchResult> results_ = SampleResults(suite_);
  BenchRequest request_ = *ReadBenchRequest({"--config=full"});
};

TEST_F(TableTest, OverheadsAndMemoryAreMultiplesOfPlain) {
  EXPECT_EQ(results_[0].Overhead(Config::kFull), 4.0);
  EXPECT_EQ(results_[0].Memory(), 3.0);
  EXPECT_EQ(results_[0].Overhead(Config::kReach), std::nullopt);
}

TEST_F(TableTest, APeerIsHeldAgainstTheParallelBuild) {
  results_[0].timings[Config::kParallelOne] = {.seconds = 1.0, .runs = 1};
  results_[0].timings[Config::kTsanOne] = {.seconds = 6.0, .runs = 1};
  EXPECT_EQ(results_[0].Overhead(Config::kTsanOne), 6.0);
}

TEST_F(TableTest, ASerialPeerIsHeldAgainstPlain) {
  request_ = *ReadBenchRequest({"--config=full", "--peer=tsan-serial"});
  results_[0].timings[Config::kTsanSerial] = {.seconds = 6.0, .runs = 1};
  EXPECT_EQ(results_[0].Overhead(Config::kTsanSerial), 12.0);
  EXPECT_EQ(Cells(Table(), "fft"),
            (Strings{"fft", "0.500", "4.00", "36.1", "12.0", "3.00", "12k", "found", "5"}));
  const auto json = nlohmann::json::parse(BenchJson({}, request_, results_));
  EXPECT_EQ(json.at("results").at(0).at("overhead").at("tsan_serial"), 12.0);
}

TEST_F(TableTest, AGroupOfNoPaperHasNoLineAboutOne) {
  EXPECT_TRUE(Has(Table(), "paper: Figure 1\n"));
  suite_.groups[0].remark = "";
  EXPECT_FALSE(Has(Table(), "paper: "));
}

TEST_F(TableTest, ThePapersFigureStandsBesideOurs) {
  EXPECT_EQ(Cells(Table(), "fft"),
            (Strings{"fft", "0.500", "4.00", "36.1", "3.00", "12k", "found", "5"}));
}

TEST_F(TableTest, FewerRunsAndALostRaceAreSeen) {
  EXPECT_EQ(Cells(Table(), "sort"),
            (Strings{"sort", "0.500", "9.00", "-", "3.00", "12k", "lost", "5/2"}));
}

TEST_F(TableTest, TheMeanIsGeometricAndThePapersOwnWhereItsNumbersAreIncomplete) {
  EXPECT_EQ(Cells(Table(), "geometric"), (Strings{"geometric", "mean", "6.00", "7.00", "3.00"}));
  results_.resize(1);
  EXPECT_EQ(Cells(Table(), "geometric"), (Strings{"geometric", "mean", "4.00", "36.1", "3.00"}));
}

TEST_F(TableTest, APublishedMeanIsNotHeldAgainstPartOfItsPrograms) {
  results_.erase(results_.begin());
  EXPECT_EQ(Cells(Table(), "geometric"), (Strings{"geometric", "mean", "9.00", "3.00"}));
}

TEST_F(TableTest, ARunThatTookTooLongIsNoNumber) {
  results_[1].timings[Config::kFull].timed_out = true;
  results_[1].timings[Config::kFull].seconds = 20.3;
  EXPECT_EQ(Cells(Table(), "sort")[2], ">20s");
  EXPECT_EQ(Cells(Table(), "geometric")[2], "4.00");
}

TEST_F(TableTest, APeerThatDiesIsToldAndSpoilsNothingElse) {
  request_ = *ReadBenchRequest({"--config=full", "--peer=tsan"});
  results_[0].timings[Config::kTsanOne] = {.seconds = 0, .runs = 1, .died = true};
  const Strings cells = Cells(Table(), "fft");
  EXPECT_NE(std::ranges::find(cells, "died"), cells.end());
  EXPECT_NE(std::ranges::find(cells, "4.00"), cells.end());
}

TEST_F(TableTest, AProgramThatFailedHasNoNumbers) {
  results_[1].failure = "exit code 1";
  EXPECT_EQ(Cells(Table(), "sort"), (Strings{"sort", "failed"}));
}

TEST_F(TableTest, WithEverythingItFits120Columns) {
  request_ = *ReadBenchRequest({"--peer=tsan"});
  for (BenchResult& result : results_) {
    result.program.name = "one/heartwall-or-so";
    result.program.paper = {1.02, 33.04, 24.77, std::nullopt};
    for (const ConfigRow& row : kConfigTable) {
      result.timings[row.config] = {.seconds = 12.5, .peak_kib = 9000, .runs = 5};
    }
    result.timings[Config::kPlain].seconds = 0.125;
  }
  suite_.groups[0].words = {{"reach", "reach."}, {"instrument", "instr"}, {"full", "full"}};
  std::istringstream lines(Table());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(report::Columns(line), 120u) << line;
}

TEST_F(TableTest, TheSummaryCountsTheSeededRaces) {
  EXPECT_TRUE(Has(Table(), "Seeded races found: 1 of 2."));
  EXPECT_TRUE(Has(Table(), "one/sort, 9.00"));
}

TEST_F(TableTest, JsonHasTheKeysThatOthersReadItBy) {
  Machine machine;
  machine.cpu = "x";
  const auto json = nlohmann::json::parse(BenchJson(machine, request_, results_));
  const auto& fft = json.at("results").at(0);
  EXPECT_EQ(json.at("machine").at("cpu"), "x");
  EXPECT_EQ(fft.at("name"), "fft");
  EXPECT_EQ(fft.at("variant"), nullptr);
  EXPECT_EQ(fft.at("size"), "small");
  EXPECT_EQ(fft.at("plain_s"), 0.5);
  EXPECT_EQ(fft.at("overhead").at("full"), 4.0);
  EXPECT_EQ(fft.at("memory"), 3.0);
  EXPECT_EQ(fft.at("paper"), 36.14);
  EXPECT_EQ(fft.at("seeded_race_found"), true);
  EXPECT_EQ(fft.at("strands"), 12345);
  EXPECT_EQ(fft.at("intervals"), nullptr);
  EXPECT_EQ(json.at("geomean").at("full"), 6.0);
}

TEST(Columns, AreAsWideAsTheirWidestCell) {
  EXPECT_EQ(AlignColumns({{"a", "1"}, {"bcd", "23"}, {"é"}}), "  a     1\n  bcd  23\n  é\n");
}

}  // namespace
}  // namespace taskrace::driver

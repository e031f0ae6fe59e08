#include <gtest/gtest.h>

#include <regex>

#include "driver/bench_plot.h"
#include "test/bench/sample_results.h"

namespace taskrace::driver {
namespace {

class PlotTest : public testing::Test {
 protected:
  std::string Plot() const {
    return BenchPlot(suite_, results_, *ReadBenchRequest({"--config=full"}), {});
  }
  // Height of the bar that carries this title; -1: none does.
  static double BarHeight(const std::string& plot, const std::string& title) {
    const std::regex bar("height=\"([0-9.]+)\" fill=\"[^\"]*\"><title>" + title + "</title>");
    std::smatch found;
    return std::regex_search(plot, found, bar) ? std::stod(found[1]) : -1;
  }

  Suite suite_ = SampleSuite();
  std::vector<BenchResult> results_ = SampleResults(suite_);
};

TEST_F(PlotTest, EqualRatiosAreEqualDistances) {
  results_[1].timings[Config::kFull].seconds = 8.0;
  const std::string plot = Plot();
  const double four = BarHeight(plot, "fft: taskrace, full detection, 4.00");
  const double sixteen = BarHeight(plot, "sort: taskrace, full detection, 16.0");
  EXPECT_GT(four, 0);
  EXPECT_NEAR(sixteen, 2 * four, 0.2);
}

TEST_F(PlotTest, ThePapersBarStandsBesideOurs) {
  EXPECT_GT(BarHeight(Plot(), "fft: published in the paper, 36.1"), 0);
}

TEST_F(PlotTest, WhatNobodyMeasuredHasNoBarAndNoLegend) {
  EXPECT_EQ(Plot().find("ThreadSanitizer"), std::string::npos);
  results_[0].timings[Config::kParallelOne] = {.seconds = 1.0, .runs = 1};
  results_[0].timings[Config::kTsanOne] = {.seconds = 6.0, .runs = 1};
  EXPECT_GT(BarHeight(Plot(), "fft: ThreadSanitizer on 1 thread, 6.00"), 0);
}

TEST_F(PlotTest, AProgramThatIsFasterThanPlainStaysInThePicture) {
  results_[0].timings[Config::kFull].seconds = 0.4;
  EXPECT_GT(BarHeight(Plot(), "fft: taskrace, full detection, 0.80"), 0);
}

TEST_F(PlotTest, TextIsEscaped) {
  EXPECT_NE(Plot().find("One &lt;fork &amp; join&gt;"), std::string::npos);
}

}  // namespace
}  // namespace taskrace::driver

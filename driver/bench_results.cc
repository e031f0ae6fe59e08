#include "driver/bench_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "driver/bench_process.h"

namespace taskrace::driver {

std::optional<double> BenchResult::Seconds(Config config) const {
  const auto found = timings.find(config);
  if (found == timings.end() || found->second.runs == 0 || found->second.timed_out ||
      found->second.died) {
    return std::nullopt;
  }
  return found->second.seconds;
}

std::optional<double> BenchResult::Overhead(Config config) const {
  const auto baseline = [&] {
    if (!RowOf(config).ComparesWithParallel()) return Seconds(Config::kPlain);
    switch (ThreadsOf(config)) {
      case 1:
        return Seconds(Config::kParallelOne);
      case 2:
        return Seconds(Config::kParallelTwo);
      default:
        return Seconds(Config::kPlain);
    }
  }();
  const auto seconds = Seconds(config);
  if (!seconds || !baseline || *baseline <= 0) return std::nullopt;
  return *seconds / *baseline;
}

std::optional<double> BenchResult::Memory(Config config) const {
  const auto plain = timings.find(Config::kPlain);
  const auto full = timings.find(config);
  if (plain == timings.end() || full == timings.end() || full->second.runs == 0 ||
      plain->second.peak_kib == 0) {
    return std::nullopt;
  }
  return static_cast<double>(full->second.peak_kib) / static_cast<double>(plain->second.peak_kib);
}

std::string BenchResult::WhyNot(Config config) const {
  const auto found = timings.find(config);
  if (found == timings.end()) return "-";
  if (found->second.timed_out) return fmt::format(">{:.0f}s", found->second.seconds);
  return found->second.died ? "died" : "-";
}

std::optional<double> GeometricMean(const std::vector<std::optional<double>>& values) {
  double logarithms = 0;
  int count = 0;
  for (const auto& value : values) {
    if (!value || *value <= 0) continue;
    logarithms += std::log(*value);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::exp(logarithms / count);
}

std::optional<double> BenchBlock::PublishedMean() const {
  std::vector<std::optional<double>> numbers;
  for (const BenchResult* row : rows) numbers.push_back(row->program.paper.full);
  const bool complete = std::ranges::all_of(numbers, [](const auto& n) { return n.has_value(); });
  if (complete) return GeometricMean(numbers);
  return is_whole ? group->geomean : std::nullopt;
}

std::vector<BenchBlock> BlocksOf(const Suite& suite, const std::vector<BenchResult>& results) {
  std::vector<BenchBlock> blocks;
  for (const BenchGroup& group : suite.groups) {
    const auto belongs = [&](const BenchProgram& program) {
      return program.group == group.name &&
             (group.variant.empty() || program.variant == group.variant);
    };
    BenchBlock block{.group = &group, .rows = {}};
    for (const BenchResult& result : results) {
      if (belongs(result.program)) block.rows.push_back(&result);
    }
    const auto in_suite = static_cast<size_t>(std::ranges::count_if(suite.programs, belongs));
    block.is_whole = block.rows.size() == in_suite;
    if (!block.rows.empty()) blocks.push_back(std::move(block));
  }
  return blocks;
}

int ThreadsOf(Config config) {
  const int threads = RowOf(config).threads;
  return threads < 0 ? UsableCpus() : threads;
}

}  // namespace taskrace::driver

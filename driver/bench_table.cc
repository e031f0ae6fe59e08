#include "driver/bench_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "report/bytes.h"
#include "report/counted.h"

namespace taskrace::driver {
namespace {

using Values = std::vector<std::optional<double>>;

// A number of things in four letters.
std::string CountText(const BenchResult& result, const char* name) {
  const auto found = result.counters.find(name);
  if (found == result.counters.end()) return "-";
  const auto count = static_cast<double>(found->second);
  if (count < 1e4) return fmt::format("{:.0f}", count);
  if (count < 1e6) return fmt::format("{:.0f}k", count / 1e3);
  return fmt::format("{:.{}f}M", count / 1e6, count < 1e7 ? 1 : 0);
}

struct Column {
  std::string head;
  std::string under;  // the second line of the head: a unit, or the paper's word
  std::function<std::string(const BenchResult&)> cell;
  std::function<std::string(const BenchBlock&)> mean;  // may be empty
};

std::string MeanOf(const BenchBlock& block,
                   const std::function<std::optional<double>(const BenchResult&)>& value) {
  Values values;
  for (const BenchResult* row : block.rows) values.push_back(value(*row));
  return RatioText(GeometricMean(values));
}

// The table of one block.
class BlockTable {
 public:
  BlockTable(const BenchBlock& block, const BenchRequest& request)
      : block_(block), request_(request) {
    AddTimes();
    AddOverhead(Config::kReach, "reach", &Published::reach);
    AddOverhead(Config::kInstrument, "instr", &Published::instrument);
    AddOverhead(Config::kFull, "full", &Published::full);
    AddRatio(Config::kFullOne, "full", "1");
    AddRatio(Config::kFullTwo, "full", "2");
    AddRatio(Config::kTsanOne, "tsan", "1");
    AddRatio(Config::kTsanAll, "tsan", fmt::format("{}", ThreadsOf(Config::kTsanAll)));
    AddRatio(Config::kTsanSerial, "tsan", "serial");
    if (request_.Runs(Config::kFull)) {
      AddMemory(Config::kFull, "");
      AddPublished("memory", &Published::memory, /*has_mean=*/false);
    }
    if (request_.Runs(Config::kFullTwo)) AddMemory(Config::kFullTwo, "2");
    // Where a peer takes the room, they are left to the JSON file.
    if (!request_.Runs(Config::kTsanOne)) AddStrands();
    columns_.push_back({"seeded",
                        "race",
                        [](const BenchResult& result) {
                          if (!result.seeded_found) return "-";
                          return *result.seeded_found ? "found" : "lost";
                        },
                        {}});
    columns_.push_back(
        {"runs", "", [this](const BenchResult& result) { return Runs(result); }, {}});
  }

  std::string Text() const {
    std::vector<std::vector<std::string>> rows(2);
    rows[0].push_back("");
    rows[1].push_back("program");
    for (const Column& column : columns_) {
      rows[0].push_back(column.head);
      rows[1].push_back(column.under);
    }
    for (const BenchResult* result : block_.rows) rows.push_back(Row(*result));
    std::vector<std::string> means = {"geometric mean"};
    for (const Column& column : columns_) {
      means.push_back(column.mean ? column.mean(block_) : "");
    }
    rows.push_back(std::move(means));
    return Title() + AlignColumns(rows);
  }

 private:
  std::string Title() const {
    std::set<std::string> detectors;
    for (const BenchResult* row : block_.rows) {
      if (!row->engine.empty()) detectors.insert(row->engine + " with " + row->history);
    }
    const std::string detector =
        detectors.empty() ? "" : fmt::format("; ours: {}", fmt::join(detectors, ", "));
    const std::string& remark = block_.group->remark;
    const std::string paper = remark.empty() ? "" : fmt::format("  paper: {}\n", remark);
    return fmt::format("{}, size {}{}\n{}", block_.group->title, request_.size, detector, paper);
  }

  std::vector<std::string> Row(const BenchResult& result) const {
    std::vector<std::string> cells = {result.program.ShortName()};
    if (!result.failure.empty()) {
      cells.push_back("failed");
      return cells;
    }
    for (const Column& column : columns_) cells.push_back(column.cell(result));
    return cells;
  }

  std::string Word(const std::string& column) const {
    const auto found = block_.group->words.find(column);
    return found == block_.group->words.end() ? "" : found->second;
  }

  void AddTimes() {
    columns_.push_back({"plain",
                        "s",
                        [](const BenchResult& result) {
                          const auto seconds = result.Seconds(Config::kPlain);
                          if (!seconds) return result.WhyNot(Config::kPlain);
                          return fmt::format("{:.{}f}", *seconds, *seconds < 0.01 ? 5 : 3);
                        },
                        {}});
    AddRatio(Config::kNative, "native", "");
    AddRatio(Config::kParallelOne, "TBB", "1");
    AddRatio(Config::kParallelTwo, "TBB", "2");
  }

  void AddStrands() {
    columns_.push_back({"strands",
                        "",
                        [](const BenchResult& result) { return CountText(result, "strands"); },
                        {}});
  }

  void AddRatio(Config config, const std::string& head, const std::string& under) {
    if (!request_.Runs(config)) return;
    columns_.push_back({head, under,
                        [config](const BenchResult& result) {
                          const auto overhead = result.Overhead(config);
                          return overhead ? RatioText(overhead) : result.WhyNot(config);
                        },
                        [config](const BenchBlock& block) {
                          return MeanOf(
                              block, [&](const BenchResult& row) { return row.Overhead(config); });
                        }});
  }

  // A config of ours, and what the paper has beside it, if it has something.
  void AddOverhead(Config config, const std::string& head,
                   std::optional<double> Published::* published) {
    if (!request_.Runs(config)) return;
    AddRatio(config, head, "");
    AddPublished(std::string(RowOf(config).name), published, config == Config::kFull);
  }

  void AddMemory(Config config, const std::string& under) {
    const auto memory = [config](const BenchResult& result) { return result.Memory(config); };
    columns_.push_back({"mem", under,
                        [=](const BenchResult& result) { return RatioText(memory(result)); },
                        [=](const BenchBlock& block) { return MeanOf(block, memory); }});
  }

  void AddPublished(const std::string& name, std::optional<double> Published::* published,
                    bool has_mean) {
    const bool any = std::ranges::any_of(block_.rows, [&](const BenchResult* row) {
      return (row->program.paper.*published).has_value();
    });
    if (!any && !(has_mean && block_.PublishedMean())) return;
    Column column = {"paper",
                     Word(name),
                     [published](const BenchResult& result) {
                       return RatioText(result.program.paper.*published);
                     },
                     {}};
    column.mean = [published, has_mean](const BenchBlock& block) {
      if (has_mean) return RatioText(block.PublishedMean());
      return MeanOf(block, [&](const BenchResult& row) { return row.program.paper.*published; });
    };
    columns_.push_back(std::move(column));
  }

  std::string Runs(const BenchResult& result) const {
    const auto runs = [&](Config config) {
      const auto found = result.timings.find(config);
      return found == result.timings.end() ? 0 : found->second.runs;
    };
    const int plain = runs(Config::kPlain);
    const int full = request_.Runs(Config::kFull) ? runs(Config::kFull) : plain;
    return plain == full ? fmt::format("{}", plain) : fmt::format("{}/{}", plain, full);
  }

  const BenchBlock& block_;
  const BenchRequest& request_;
  std::vector<Column> columns_;
};

std::string Summary(const std::vector<BenchResult>& results) {
  Values reach, instrument, full, memory;
  int seeded = 0;
  int caught = 0;
  const BenchResult* slowest = nullptr;
  for (const BenchResult& result : results) {
    reach.push_back(result.Overhead(Config::kReach));
    instrument.push_back(result.Overhead(Config::kInstrument));
    full.push_back(result.Overhead(Config::kFull));
    memory.push_back(result.Memory());
    seeded += result.seeded_found.has_value() ? 1 : 0;
    caught += result.seeded_found.value_or(false) ? 1 : 0;
    if (full.back() && (slowest == nullptr || *full.back() > slowest->Overhead(Config::kFull))) {
      slowest = &result;
    }
  }
  std::string text =
      fmt::format("{}, geometric means: reach {}, instrument {}, full {}, memory {}.\n",
                  report::Counted(results.size(), "program"), RatioText(GeometricMean(reach)),
                  RatioText(GeometricMean(instrument)), RatioText(GeometricMean(full)),
                  RatioText(GeometricMean(memory)));
  if (slowest != nullptr) {
    text += fmt::format("The slowest under full detection: {}, {}.\n", slowest->program.name,
                        RatioText(slowest->Overhead(Config::kFull)));
  }
  return text + fmt::format("Seeded races found: {} of {}.\n", caught, seeded);
}

}  // namespace

std::string RatioText(std::optional<double> ratio) {
  if (!ratio) return "-";
  const int digits = *ratio < 9.995 ? 2 : *ratio < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", *ratio, digits);
}

std::string AlignColumns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], report::Columns(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - report::Columns(row[i]), ' ');
      line += i == 0 ? "  " + row[i] + blanks : "  " + blanks + row[i];
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string RenderTables(const Suite& suite, const std::vector<BenchResult>& results,
                         const BenchRequest& request) {
  std::string text;
  for (const BenchBlock& block : BlocksOf(suite, results)) {
    text += BlockTable(block, request).Text() + "\n";
  }
  return text + Summary(results);
}

}  // namespace taskrace::driver

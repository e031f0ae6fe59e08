#include "driver/bench_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "driver/bench_table.h"
#include "report/bytes.h"

namespace taskrace::driver {
namespace {

using Json = nlohmann::ordered_json;
using report::Error;
using report::Printable;
using report::Result;

// Of the pass's counters those that cost something in the program.
constexpr std::string_view kEmitted[] = {"reads",   "writes",    "ranges",  "strings",
                                         "atomics", "lifetimes", "entries", "library-calls"};
// Of a run's counters those that do not depend on the machine.
constexpr std::string_view kExecuted[] = {"tasks",   "strands",       "reads",       "writes",
                                          "ranges",  "atomics",       "range_bytes", "intervals",
                                          "queries", "reader_entries"};
constexpr std::string_view kExact[] = {"tasks", "strands"};
constexpr std::string_view kEmittedPrefix = "emitted.";

template <class List>
bool Contains(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

// The lines «taskrace: SOURCE: NAME NUMBER» of the pass, summed over the sources.
void AddEmitted(const std::string& output, Counts& counts) {
  std::istringstream lines(output);
  std::string line;
  while (std::getline(lines, line)) {
    const size_t colon = line.rfind(": ");
    const size_t blank = line.rfind(' ');
    if (!line.starts_with("taskrace: ") || colon == std::string::npos || blank < colon + 2)
      continue;
    const std::string name = line.substr(colon + 2, blank - colon - 2);
    if (!Contains(kEmitted, name)) continue;
    counts[std::string(kEmittedPrefix) + name] += std::strtoll(line.c_str() + blank, nullptr, 10);
  }
}

bool IsExact(const std::string& name) {
  return name.starts_with(kEmittedPrefix) || Contains(kExact, name);
}

}  // namespace

Result<Counts> CollectCounts(const BenchBuilds& builds, const BenchRuns& runs,
                             const BenchProgram& program, const std::string& size,
                             const Detector& detector) {
  const DetectedRun run =
      runs.RunForReport(program, Build::kDetected, size, detector, Wanted::kCounters);
  if (!run.finished.Succeeded() || run.report.is_null()) {
    return Error{Complaint(program.name, run.finished)};
  }
  Counts counts;
  AddEmitted(builds.CompilerOutput(program, Build::kDetected), counts);
  for (const auto& [name, value] : run.report.at("stats").items()) {
    if (value.is_number() && Contains(kExecuted, name)) counts[name] = value;
  }
  return counts;
}

std::string CountsText(const CountTable& table) {
  std::set<std::string> present;
  for (const auto& [program, counts] : table) {
    for (const auto& [name, count] : counts) present.insert(name);
  }
  // Two tables: one of 120 columns would not do.
  const auto part = [&](const auto& names, std::string_view prefix) {
    std::vector<std::vector<std::string>> rows(1, {"program"});
    std::vector<std::string> columns;
    for (std::string_view name : names) {
      const std::string column = std::string(prefix) + std::string(name);
      if (!present.contains(column)) continue;
      columns.push_back(column);
      rows[0].emplace_back(name);
    }
    for (const auto& [program, counts] : table) {
      std::vector<std::string>& row = rows.emplace_back(1, program);
      for (const std::string& column : columns) {
        const auto found = counts.find(column);
        row.push_back(found == counts.end() ? "-" : fmt::format("{}", found->second));
      }
    }
    return AlignColumns(rows);
  };
  return "checks emitted by the pass\n" + part(kEmitted, kEmittedPrefix) + "\nwhat a run does\n" +
         part(kExecuted, "");
}

std::string CountsJson(const CountTable& table, const std::string& size, const Detector& detector) {
  // A program a line, so that a change is read in a diff.
  std::string text = fmt::format("{{\"size\": \"{}\", \"engine\": \"{}\", \"history\": \"{}\",\n",
                                 size, detector.engine, detector.history);
  text += " \"programs\": {";
  const char* separator = "\n";
  for (const auto& [program, counts] : table) {
    text += fmt::format("{}  {}: {}", separator, Json(program).dump(), Json(counts).dump());
    separator = ",\n";
  }
  return text + "\n }}\n";
}

Result<CountTable> ReadCounts(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{fmt::format("cannot read the counts in {}", Printable(path))};
  try {
    return Json::parse(file).at("programs").get<CountTable>();
  } catch (const Json::exception& problem) {
    return Error{fmt::format("{} is not a table of counts: {}", Printable(path), problem.what())};
  }
}

CountComparison CompareCounts(const CountTable& now, const CountTable& accepted) {
  CountComparison comparison;
  for (const auto& [program, counts] : now) {
    const auto known = accepted.find(program);
    if (known == accepted.end()) {
      comparison.worse.push_back(fmt::format("{}: not in the table", program));
      continue;
    }
    Counts all = counts;
    all.insert(known->second.begin(), known->second.end());
    for (const auto& [name, unused] : all) {
      const auto current = counts.find(name);
      const auto before = known->second.find(name);
      if (current == counts.end() || before == known->second.end()) {
        comparison.worse.push_back(
            fmt::format("{}: {} is counted {}", program, name,
                        current == counts.end() ? "no longer" : "now, and not in the table"));
        continue;
      }
      const int64_t is = current->second;
      const int64_t was = before->second;
      if (is == was) continue;
      const std::string line = fmt::format("{}: {} {}, was {}", program, name, is, was);
      const bool must_stay = Contains(kExact, name);
      const auto most = static_cast<double>(was) * (IsExact(name) ? 1 : 1 + kCountTolerance);
      if (must_stay || static_cast<double>(is) > most) {
        comparison.worse.push_back(line);
      } else if (is < was) {
        comparison.better.push_back(line);
      }
    }
  }
  return comparison;
}

}  // namespace taskrace::driver

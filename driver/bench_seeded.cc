#include "driver/bench_seeded.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace taskrace::driver {

SeededMarks::Lines ReportedLines(const nlohmann::json& report, const std::string& suite) {
  namespace fs = std::filesystem;
  SeededMarks::Lines lines;
  std::error_code ignored;
  const fs::path root = fs::weakly_canonical(suite, ignored);
  for (const auto& race : report.at("races")) {
    for (const auto& access : race.at("accesses")) {
      const auto& stack = access.at("stack");
      if (stack.empty()) {
        lines.emplace("(unknown)", 0);
        continue;
      }
      const fs::path file = fs::weakly_canonical(stack[0].at("file").get<std::string>(), ignored);
      const fs::path within = file.lexically_relative(root);
      const bool is_ours = !within.empty() && *within.begin() != "..";
      lines.emplace((is_ours ? within : file).string(), stack[0].at("line").get<int>());
    }
  }
  return lines;
}

std::vector<std::string> SeededComplaints(const SeededMarks::Lines& reported,
                                          const SeededMarks& marks) {
  std::vector<std::string> complaints;
  for (const auto& line : reported) {
    if (!marks.certain.contains(line) && !marks.possible.contains(line)) {
      complaints.push_back(
          fmt::format("reports {}:{}, which is not marked", line.first, line.second));
    }
  }
  for (const auto& line : marks.certain) {
    if (!reported.contains(line)) {
      complaints.push_back(fmt::format("does not report {}:{}", line.first, line.second));
    }
  }
  if (marks.certain.empty() && marks.possible.empty())
    complaints.push_back("no line of the source is marked");
  return complaints;
}

RacyObjects RacyBytes(const nlohmann::json& report) {
  RacyObjects racy;
  for (const auto& race : report.at("races")) {
    const auto& location = race.at("location");
    std::string object = fmt::format("{} {} {} {}", location.at("what").get<std::string>(),
                                     location.at("name").get<std::string>(),
                                     location.at("function").get<std::string>(),
                                     location.at("size").get<uint64_t>());
    for (const auto& frame : location.at("allocated_at")) {
      object +=
          fmt::format(" {}:{}", frame.at("file").get<std::string>(), frame.at("line").get<int>());
    }
    const uint64_t first = location.at("offset");
    const uint64_t size = race.at("size");
    std::set<uint64_t>& offsets = racy[object];
    for (uint64_t byte = first; byte < first + size; ++byte) offsets.insert(byte);
  }
  return racy;
}

}  // namespace taskrace::driver

// compare_with_trace TRACE REPORT [joins]: does the report of a run (dedup=address, max_races=0, as JSON)
// have exactly the bytes on which the run's trace says that it races, and where the accesses are joined? With `joins`,
// only the second question.

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "test/oracle/replay.h"

namespace {

using taskrace::StrandId;
using taskrace::oracle::Replay;
using taskrace::oracle::TraceReader;

std::set<uint64_t> ReportedBytes(const char* path) {
  std::set<uint64_t> bytes;
  const nlohmann::json report = nlohmann::json::parse(std::ifstream(path));
  for (const auto& race : report.at("races")) {
    const uint64_t first = std::stoull(race.at("address").get<std::string>(), nullptr, 16);
    const uint64_t size = race.at("size").get<uint64_t>();
    for (uint64_t i = 0; i < size; ++i) bytes.insert(first + i);
  }
  return bytes;
}

// Prints the bytes that only the first one has.
bool HasMore(const std::set<uint64_t>& bytes, const std::set<uint64_t>& others, const char* what) {
  bool more = false;
  for (const uint64_t byte : bytes) {
    if (others.contains(byte)) continue;
    std::cerr << what << " 0x" << std::hex << byte << std::dec << "\n";
    more = true;
  }
  return more;
}

// Is each race reported with its join? Iterations of loops have no numbers in a trace; the join of all tasks at the
// end of main is none.
bool HasWrongJoins(const Replay& replay, const char* path) {
  bool wrong = false;
  const nlohmann::json report = nlohmann::json::parse(std::ifstream(path));
  for (const auto& race : report.at("races")) {
    StrandId strands[2];
    for (size_t i : {0, 1}) {
      strands[i] = StrandId{race.at("accesses").at(i).at("strand").get<uint32_t>()};
    }
    const StrandId join = replay.JoinOf(strands[0], strands[1]);
    if (taskrace::IsIteration(strands[0]) || taskrace::IsIteration(strands[1])) continue;
    const auto& joined = race.at("joined_at");
    const uint32_t reported = joined.is_null() ? 0 : joined.at("strand").get<uint32_t>();
    if (reported == taskrace::Index(join) || (joined.is_null() && join == replay.LastJoin()))
      continue;
    std::cerr << "joined by strand " << taskrace::Index(join) << ", reported: " << reported << "\n";
    wrong = true;
  }
  return wrong;
}

int CompareJoins(const char* trace_path, const char* report_path) {
  const Replay replay(TraceReader(trace_path), Replay::Part::kConstructs);
  return HasWrongJoins(replay, report_path) ? 1 : 0;
}

int Compare(const char* trace_path, const char* report_path) {
  const Replay replay{TraceReader(trace_path)};
  const std::set<uint64_t> reported = ReportedBytes(report_path);
  const bool missed = HasMore(replay.Racy(), reported, "racy, but not reported:");
  const bool invented = HasMore(reported, replay.Racy(), "reported, but not racy:");
  std::cout << replay.Strands() << " strands, " << replay.Accesses() << " accesses, "
            << replay.Racy().size() << " racy bytes\n";
  return missed || invented || HasWrongJoins(replay, report_path) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool joins = argc == 4 && argv[3] == std::string_view("joins");
  if (argc != 3 && !joins) {
    std::cerr << "usage: compare_with_trace TRACE REPORT [joins]\n";
    return 2;
  }
  try {
    return joins ? CompareJoins(argv[1], argv[2]) : Compare(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "compare_with_trace: " << error.what() << "\n";
    return 2;
  }
}

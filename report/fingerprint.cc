#include "report/fingerprint.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "report/function_name.h"
#include "report/sources.h"

namespace taskrace::report {
namespace {

// FNV-1a: the same on every machine and in every version.
uint64_t Hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Indentation and alignment may change.
std::string WithoutBlanks(std::string_view text) {
  std::string rest;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\r') rest += c;
  }
  return rest;
}

std::string AccessText(const Report& report, const ReportedAccess& access) {
  const Frame* frame = UserFrame(access.stack);
  if (frame == nullptr) return access.op;
  const std::string function = QualifiedName(frame->function);
  if (frame->file.empty()) {
    return fmt::format("{}\n{}\n{}+{:#x}", access.op, function, BaseName(frame->module),
                       function.empty() ? frame->offset : 0);
  }
  const std::string* line = SourceLine(report.sources, frame->file, frame->line);
  return fmt::format("{}\n{}\n{}\n{}", access.op, function, BaseName(frame->file),
                     line != nullptr ? WithoutBlanks(*line) : std::to_string(frame->line));
}

}  // namespace

std::vector<std::string> Fingerprints(const Report& report) {
  std::map<uint64_t, size_t> seen;
  std::vector<std::string> fingerprints;
  for (const ReportedRace& race : report.races) {
    // In a parallel run, it is chance which of the two is found first.
    std::string accesses[2] = {AccessText(report, race.accesses[0]),
                               AccessText(report, race.accesses[1])};
    if (accesses[1] < accesses[0]) std::swap(accesses[0], accesses[1]);
    const uint64_t hash = Hash(fmt::format("{}\n{}\n{}\n{}", race.race_class, race.location.name,
                                           accesses[0], accesses[1]));
    fingerprints.push_back(fmt::format("{:016x}:{}", hash, ++seen[hash]));
  }
  return fingerprints;
}

void MarkKnown(Report& report, const Report& baseline) {
  report.has_baseline = true;
  const std::vector<std::string> listed = Fingerprints(baseline);
  const std::set<std::string> known(listed.begin(), listed.end());
  const std::vector<std::string> own = Fingerprints(report);
  for (size_t i = 0; i < own.size(); ++i) report.races[i].known = known.contains(own[i]);
}

}  // namespace taskrace::report

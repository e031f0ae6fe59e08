#include "report/sources.h"

#include <algorithm>

#include "report/source_excerpt.h"

namespace taskrace::report {
namespace {

// Lines kept before and behind that of an access.
constexpr uint32_t kNeighbours = 3;
// Longer lines are generated, and nobody reads them.
constexpr size_t kLongestLine = 10000;

class Collector {
 public:
  explicit Collector(SourceLines& sources) : sources_(sources) {}

  void Add(const Stack& stack, uint32_t neighbours) {
    const Frame* frame = UserFrame(stack);
    if (frame == nullptr || frame->file.empty() || frame->line == 0) return;
    const uint32_t first = frame->line > neighbours ? frame->line - neighbours : 1;
    for (uint32_t line = first; line <= frame->line + neighbours; ++line) {
      if (SourceLine(sources_, frame->file, line) != nullptr) continue;
      auto text = files_.Line(frame->file, line);
      if (text && text->size() <= kLongestLine) sources_[frame->file][line] = std::move(*text);
    }
  }

  void Add(const std::vector<Stack>& stacks) {
    for (const Stack& stack : stacks) Add(stack, 0);
  }

 private:
  SourceFiles files_;
  SourceLines& sources_;
};

}  // namespace

void CollectSources(Report& report) {
  Collector collector(report.sources);
  for (const ReportedRace& race : report.races) {
    for (const ReportedAccess& access : race.accesses) {
      collector.Add(access.stack, kNeighbours);
      collector.Add(access.created);
    }
    if (race.joined) collector.Add(race.joined->stack, 0);
  }
  if (report.deadlock) {
    for (const ReportedWait& wait : *report.deadlock) {
      collector.Add(wait.stack, kNeighbours);
      collector.Add(wait.created);
    }
  }
  for (const ReportedMessage& message : report.messages) {
    for (const auto& [label, stack] : message.stacks) collector.Add(stack, kNeighbours);
  }
}

const std::string* SourceLine(const SourceLines& sources, const std::string& file, uint32_t line) {
  const auto lines = sources.find(file);
  if (lines == sources.end()) return nullptr;
  const auto found = lines->second.find(line);
  return found == lines->second.end() ? nullptr : &found->second;
}

}  // namespace taskrace::report

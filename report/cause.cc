#include "report/cause.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <tuple>

#include "report/fork.h"

namespace taskrace::report {
namespace {

// Where the task was created that leads to the access and that the other chain does not have.
std::string Branch(const ReportedAccess& access, std::optional<size_t> below) {
  if (below == 0) return "the creator";
  const bool is_known = below && *below <= access.created.size();
  const Frame* frame = is_known ? UserFrame(access.created[*below - 1]) : nullptr;
  if (frame == nullptr) return fmt::format("task {}", access.task);
  return frame->file.empty() ? fmt::format("{}+{:#x}", frame->module, frame->offset)
                             : fmt::format("{}:{}", frame->file, frame->line);
}

}  // namespace

void FindCauses(std::vector<ReportedRace>& races) {
  std::map<std::tuple<std::string, std::string, std::string>, uint64_t> known;
  for (ReportedRace& race : races) {
    const std::optional<Fork> fork = FindFork(race);
    std::string branches[2];
    for (const size_t i : {0, 1}) {
      branches[i] = Branch(race.accesses[i], fork ? std::optional(fork->below[i]) : std::nullopt);
    }
    if (branches[1] < branches[0]) std::swap(branches[0], branches[1]);
    race.cause = known.try_emplace({race.race_class, branches[0], branches[1]}, known.size() + 1)
                     .first->second;
  }
}

}  // namespace taskrace::report

#include "report/cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace taskrace::report {
namespace {

// The task, its creator, and so on out to main.
std::vector<uint64_t> Chain(const ReportedAccess& access) {
  std::vector<uint64_t> chain = {access.task};
  chain.insert(chain.end(), access.ancestors.begin(), access.ancestors.end());
  return chain;
}

// Where the task was created that leads to `access` and that the other chain does not have.
std::string Branch(const ReportedAccess& access, const ReportedAccess& other) {
  const std::vector<uint64_t> chain = Chain(access);
  const std::vector<uint64_t> others = Chain(other);
  const auto common = std::ranges::find_if(
      chain, [&](uint64_t task) { return std::ranges::find(others, task) != others.end(); });
  const auto below = static_cast<size_t>(common - chain.begin());
  if (below == 0) return "the creator";
  if (below > access.created.size()) return fmt::format("task {}", access.task);
  const Frame* frame = UserFrame(access.created[below - 1]);
  if (frame == nullptr) return fmt::format("task {}", access.task);
  return frame->file.empty() ? fmt::format("{}+{:#x}", frame->module, frame->offset)
                             : fmt::format("{}:{}", frame->file, frame->line);
}

}  // namespace

void FindCauses(std::vector<ReportedRace>& races) {
  std::map<std::tuple<std::string, std::string, std::string>, uint64_t> known;
  for (ReportedRace& race : races) {
    std::string branches[2] = {Branch(race.accesses[0], race.accesses[1]),
                               Branch(race.accesses[1], race.accesses[0])};
    if (branches[1] < branches[0]) std::swap(branches[0], branches[1]);
    race.cause = known.try_emplace({race.race_class, branches[0], branches[1]}, known.size() + 1)
                     .first->second;
  }
}

}  // namespace taskrace::report

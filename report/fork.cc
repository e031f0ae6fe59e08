#include "report/fork.h"

#include <algorithm>
#include <vector>

namespace taskrace::report {
namespace {

// The one at a level of a chain: 0 made the access, 1 is its creator, and so on out to main. Iterations of a loop share
// its task.
struct Link {
  uint64_t task;
  std::optional<int64_t> iteration;
  bool operator==(const Link&) const = default;
};

std::vector<Link> Chain(const ReportedAccess& access) {
  std::vector<Link> chain = {{access.task, std::nullopt}};
  for (const uint64_t task : access.ancestors) chain.push_back({task, std::nullopt});
  for (const auto& [level, number] : access.iterations) {
    if (level < chain.size()) chain[level].iteration = number;
  }
  return chain;
}

}  // namespace

std::optional<Fork> FindFork(const ReportedRace& race) {
  const std::vector<Link> one = Chain(race.accesses[0]);
  const std::vector<Link> other = Chain(race.accesses[1]);
  const auto common = std::ranges::find_first_of(one, other);
  if (common == one.end()) return std::nullopt;
  Fork fork{.task = common->task,
            .below = {static_cast<size_t>(common - one.begin()),
                      static_cast<size_t>(std::ranges::find(other, *common) - other.begin())},
            .at = nullptr};
  for (const size_t i : {1, 0}) {
    const std::vector<Stack>& created = race.accesses[i].created;
    if (fork.below[i] > 0 && fork.below[i] <= created.size()) fork.at = &created[fork.below[i] - 1];
  }
  return fork;
}

}  // namespace taskrace::report

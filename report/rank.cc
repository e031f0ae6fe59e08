#include "report/rank.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace taskrace::report {
namespace {

std::optional<int> NumberIn(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  const std::string_view text = value;
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::optional<int> RankOfProcess() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const auto rank = NumberIn(variable)) return rank;
  }
  // Slurm sets it for a job of one task, too.
  if (NumberIn("SLURM_NTASKS").value_or(1) > 1) return NumberIn("SLURM_PROCID");
  return std::nullopt;
}

}  // namespace taskrace::report

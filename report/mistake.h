// What kind of mistake a race is, where the evidence shows it.
//
// A kind is named only if everything that its sentence says is in the report. Otherwise nothing is said. docs/mistakes.md has
// an example of each kind, wrong and corrected. Thread rule: pure functions. Cost: linear in the stacks.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "report/report.h"

namespace taskrace::report {

struct MistakeKind {
  std::string_view id;     // the section of docs/mistakes.md
  std::string_view brief;  // of the kind, in a sentence
  std::string_view remedy;
};
std::span<const MistakeKind> MistakeKinds();

struct Mistake {
  const MistakeKind* kind;
  std::string text;  // one sentence about this race
};
std::optional<Mistake> FindMistake(const ReportedRace& race, const SourceLines& sources);

}  // namespace taskrace::report

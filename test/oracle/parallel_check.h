// Compares a run of a program in a random order with the oracle.
#pragma once

#include "test/oracle/check.h"
#include "test/oracle/parallel_order.h"

namespace taskrace::oracle {

// What is wrong with a run of the program in some order; empty: nothing. Programs that leave the class
// are wrong unless `left` is there to say so.
inline std::string Wrong(ParallelSubject& subject, const Body& body, uintptr_t base,
                         std::mt19937_64& rng, bool* left = nullptr, bool depth_first = false,
                         Moves moves = Moves::kNone) {
  const size_t number = subject.Next();
  ParallelProgram program(body, MemoryOf(number, base), ScaleOf(number), HasMany(number), moves);
  const RandomOrder run(subject, program, rng, depth_first);
  if (!subject.referee.Wrong().empty()) return subject.referee.Wrong();
  if (run.Outside() != nullptr) {
    if (left != nullptr) *left = true;
    subject.detection->lone.Clear();
    return left != nullptr ? "" : run.Outside()->what;
  }
  for (const auto& [u, a] : run.GetSteps()) {
    for (const auto& [v, b] : run.GetSteps()) {
      if (u == v) continue;
      const bool precedes = u < v && program.execution.GetDag().Precedes(u, v);
      if (subject.detection->tree.Precedes(a, b) != precedes) return "precedes";
    }
  }
  return program.Compare();
}

}  // namespace taskrace::oracle

// Parallel loops in which the last access of each iteration stays while the others are moved (Moves::kSome, kZoned), and
// each rule about the two decides. Nothing else is parallel to them.
#pragma once

#include <vector>

#include "test/oracle/program.h"

namespace taskrace::oracle {

inline std::vector<Body> StayingExamples() {
  const auto read = [](unsigned byte) { return Access(AccessKind::kRead, byte); };
  const auto write = [](unsigned byte) { return Access(AccessKind::kWrite, byte); };
  const std::vector<Construct> loops = {
      // The read that stays meets the next iteration's moved write.
      Loop({Iteration({write(0), read(1)}), Iteration({write(1), read(2)})}),
      // The write that stays meets itself.
      Loop({Iteration({read(4), write(0)}), Iteration({read(5), write(0)})}),
      // The write that stays meets a moved read.
      Loop({Iteration({read(1), write(0)}), Iteration({read(2), write(1)})}),
      // Iteration 0 reads byte 4, iteration 1 writes it; only its own read of that byte stays.
      Loop({Iteration({read(4), write(2), read(2)}), Iteration({read(6), write(4), read(4)})}),
      // The same read stays in both iterations, but the first one has written the byte.
      Loop({Iteration({write(0), read(0)}), Iteration({write(1), read(0)})}),
      Loop({Iteration({read(0), write(0)}), Iteration({read(0)})}),
  };
  std::vector<Body> programs;
  for (const Construct& loop : loops) {
    programs.push_back({loop});
    programs.push_back({Scope({}), loop});  // numbers its groups differently
  }
  return programs;
}

}  // namespace taskrace::oracle

// Loops whose iterations do the same at places that move by the same step: those whose accesses the pass
// moves before the loop.
#pragma once

#include <vector>

#include "test/oracle/program.h"

namespace taskrace::oracle {

struct AffineAccess {
  AccessKind kind;
  unsigned first;  // in iteration 0
  unsigned size;
  int step;  // from iteration to iteration
};

// The accesses of each iteration; none if the loop is of another kind.
inline std::vector<AffineAccess> AffineAccesses(const Construct& loop) {
  std::vector<AffineAccess> accesses;
  const Body& iterations = loop.body;
  if (iterations.empty()) return {};
  for (size_t i = 0; i < iterations[0].body.size(); ++i) {
    const Construct& c = iterations[0].body[i];
    int step = 0;
    if (iterations.size() > 1 && i < iterations[1].body.size()) {
      step = iterations[1].body[i].first - c.first;
    }
    accesses.push_back({c.kind, c.first, c.size, step});
  }
  for (size_t k = 0; k < iterations.size(); ++k) {
    const Body& body = iterations[k].body;
    if (body.size() != accesses.size()) return {};
    for (size_t i = 0; i < body.size(); ++i) {
      const Construct& c = body[i];
      const AffineAccess& a = accesses[i];
      if (c.what != What::kAccess || IsAtomic(c.kind) || c.locks != 0 || c.kind != a.kind ||
          c.size != a.size || c.first != static_cast<int>(a.first) + static_cast<int>(k) * a.step) {
        return {};
      }
    }
  }
  return accesses;
}

}  // namespace taskrace::oracle

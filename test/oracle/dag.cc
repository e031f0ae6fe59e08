#include "test/oracle/dag.h"

namespace taskrace::oracle {

size_t Dag::AddStrand(const std::vector<size_t>& predecessors) {
  const size_t v = before_.size();
  std::vector<uint64_t> before(v / 64 + 1);
  for (size_t u : predecessors) {
    for (size_t i = 0; i < before_[u].size(); ++i) before[i] |= before_[u][i];
    before[u / 64] |= uint64_t{1} << (u % 64);
  }
  before_.push_back(std::move(before));
  return v;
}

bool Oracle::Races(const PastAccess& earlier, const PastAccess& later) const {
  return Conflict(earlier.access.kind, later.access.kind) &&
         (earlier.access.locks & later.access.locks) == 0 &&
         dag_.Parallel(earlier.strand, later.strand);
}

bool Oracle::Races(size_t strand, AccessKind kind, unsigned locks, unsigned byte) const {
  const PastAccess later{strand, oracle::Access(kind, byte, 1, locks)};
  for (size_t index : touched_[byte]) {
    if (Races(past_[index], later)) return true;
  }
  return false;
}

std::set<unsigned> Oracle::Access(size_t strand, const Construct& access) {
  std::set<unsigned> races;
  for (unsigned byte = access.first; byte < access.first + access.size; ++byte) {
    if (Races(strand, access.kind, access.locks, byte)) races.insert(byte);
    touched_[byte].push_back(past_.size());
  }
  past_.push_back({strand, access});
  racy_.insert(races.begin(), races.end());
  ever_racy_.insert(races.begin(), races.end());
  return races;
}

void Oracle::Clear(const Construct& clear) {
  for (unsigned byte = clear.first; byte < clear.first + clear.size; ++byte) {
    touched_[byte].clear();
    cleared_at_[byte] = past_.size();
    racy_.erase(byte);
  }
}

}  // namespace taskrace::oracle

// The oracle: the dag of strands, reachability in it and races on bytes, all by brute force.
// Nothing here is clever on purpose: every engine and every history is compared with this file.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "report/race.h"
#include "test/oracle/program.h"

namespace taskrace::oracle {

// Strands are 0, 1, 2, ... in execution order.
class Dag {
 public:
  // Adds a strand with an edge from each of the predecessors; returns its number.
  size_t AddStrand(const std::vector<size_t>& predecessors);

  bool Precedes(size_t u, size_t v) const {
    return u / 64 < before_[v].size() && (before_[v][u / 64] >> (u % 64) & 1) != 0;
  }
  // Requires: u ran earlier than v, or is v.
  bool Parallel(size_t u, size_t v) const { return u != v && !Precedes(u, v); }
  size_t Size() const { return before_.size(); }

 private:
  std::vector<std::vector<uint64_t>> before_;  // before_[v]: bit u: u precedes v
};

// An access that happened.
struct PastAccess {
  size_t strand;
  Construct access;
};

// Remembers every access. A byte is racy if two parallel accesses to it conflict and
// no lock orders them.
class Oracle {
 public:
  explicit Oracle(const Dag& dag) : dag_(dag) {}

  // Would such an access by the strand race with an earlier one?
  bool Races(size_t strand, AccessKind kind, unsigned locks, unsigned byte) const;
  // Do these two race, the first being earlier?
  bool Races(const PastAccess& earlier, const PastAccess& later) const;

  // Returns the bytes on which the access races.
  std::set<unsigned> Access(size_t strand, const Construct& access);
  void Clear(const Construct& clear);

  // Has the byte raced since it was last cleared?
  bool IsRacy(unsigned byte) const { return racy_.contains(byte); }
  // All bytes that ever raced.
  const std::set<unsigned>& EverRacy() const { return ever_racy_; }
  // All accesses so far, in order.
  const std::vector<PastAccess>& Past() const { return past_; }
  // Has the byte been cleared since the access with this index?
  bool IsForgotten(size_t index, unsigned byte) const { return index < cleared_at_[byte]; }

 private:
  const Dag& dag_;
  std::vector<PastAccess> past_;
  std::vector<size_t> touched_[kBytes];  // indices into past_, since the byte was last cleared
  size_t cleared_at_[kBytes] = {};       // how many accesses there were at the last clear
  std::set<unsigned> racy_;
  std::set<unsigned> ever_racy_;
};

}  // namespace taskrace::oracle

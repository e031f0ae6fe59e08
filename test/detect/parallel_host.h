// A host for tests: keeps the races and the released blocks.
#pragma once

#include <mutex>
#include <vector>

#include "detect/parallel/worker.h"

namespace taskrace {

class CollectingHost final : public ParallelHost {
 public:
  void OnRace(const ParallelRace& race) override {
    const std::lock_guard lock(mutex_);
    races.push_back(race);
  }
  AccessLog::Found PartWith(uintptr_t, const AccessLog::Found& found) override { return found; }
  bool HasParts(Where) override { return false; }
  bool MayRace(LockSet a, LockSet b) override {
    return (static_cast<uint32_t>(a) & static_cast<uint32_t>(b)) == 0;
  }
  void Release(const Quarantine::Block& block) override {
    const std::lock_guard lock(mutex_);
    released.push_back(block);
  }

  std::vector<ParallelRace> races;
  std::vector<Quarantine::Block> released;

 private:
  std::mutex mutex_;
};

}  // namespace taskrace

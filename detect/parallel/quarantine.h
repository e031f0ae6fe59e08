// Memory that is freed while others run: it is used again only when no worker can still tell an access
// that is older than the free.
//
// Idea:       epochs. A worker that has told everything says which epoch it has seen. Freed blocks
//             wait in batches; closing a batch begins an epoch, and when every worker has seen that
//             epoch, or runs nothing, all that was done before is told. The free itself was told as a
//             write, so an access that was done before and is told now finds its race.
// Thread rule: an Epochs is shared; a Quarantine and a slot belong to one worker.
// Cost:       a load and a store per strand; a shared write per batch; a look at every worker's slot
//             per batch and strand, as long as blocks wait.
// Tested by:  test/detect/parallel_quarantine_test.cc, test/oracle/parallel_reuse_test.cc
#pragma once

#include <algorithm>
#include <atomic>

#include "detect/ds/mapped_array.h"

namespace taskrace {

class Epochs {
 public:
  static constexpr size_t kMostWorkers = 256;

  constexpr Epochs() = default;

  // A place for one more worker, which runs nothing yet.
  size_t Join() {
    const size_t worker = workers_.fetch_add(1);
    CHECK(worker < kMostWorkers, "too many workers");
    seen_[worker].epoch.store(kRunsNothing);
    return worker;
  }
  // The worker, which was at rest, begins to run; before its first access.
  void Wake(size_t worker) { seen_[worker].epoch.exchange(now_.load()); }
  uint64_t Now() const { return now_.load(std::memory_order_acquire); }
  // The worker has told everything that it had done when this epoch was the newest, and goes on.
  void Pass(size_t worker, uint64_t epoch) {
    seen_[worker].epoch.store(epoch, std::memory_order_release);
  }
  void Pass(size_t worker) { Pass(worker, Now()); }
  // The worker has told everything, and does nothing until it wakes.
  void Rest(size_t worker) { seen_[worker].epoch.store(kRunsNothing, std::memory_order_release); }

  // A new epoch: it has passed when everybody has told what is done by now.
  uint64_t Begin() { return now_.fetch_add(1) + 1; }
  bool HasPassed(uint64_t epoch) const {
    const size_t workers = std::min(workers_.load(), kMostWorkers);
    for (size_t i = 0; i < workers; ++i) {
      if (seen_[i].epoch.load() < epoch) return false;
    }
    return true;
  }

 private:
  static constexpr uint64_t kRunsNothing = UINT64_MAX;
  // Apart, so that passing does not disturb other workers.
  struct alignas(64) Slot {
    std::atomic<uint64_t> epoch{kRunsNothing};
  };

  std::atomic<uint64_t> now_{1};
  std::atomic<size_t> workers_{0};
  Slot seen_[kMostWorkers] = {};
};

// The blocks that one worker has freed.
class Quarantine {
 public:
  struct Block {
    uintptr_t first;
    size_t size;
  };

  explicit constexpr Quarantine(Epochs& epochs) : epochs_(epochs) {}

  void Add(const Block& block) { blocks_.Append(block); }

  // Calls release(block) for those that may be used again.
  template <class Release>
  void Collect(Release release) {
    if (first_ == blocks_.Size()) [[likely]]
      return;
    if (closed_ > first_ && epochs_.HasPassed(epoch_)) {
      for (; first_ < closed_; ++first_) release(blocks_[first_]);
      if (first_ == blocks_.Size()) {
        blocks_.Truncate(0);
        first_ = closed_ = 0;
      }
    }
    if (first_ == closed_ && closed_ < blocks_.Size()) Close();
  }

  size_t Waiting() const { return blocks_.Size() - first_; }

 private:
  void Close() {
    // What was released lies before first_; it goes when that is most of the list.
    if (first_ > blocks_.Size() / 2) {
      std::copy(&blocks_[first_], &blocks_.Back() + 1, &blocks_[0]);
      blocks_.Truncate(blocks_.Size() - first_);
      first_ = 0;
    }
    closed_ = blocks_.Size();
    epoch_ = epochs_.Begin();
  }

  Epochs& epochs_;
  MappedArray<Block> blocks_{"freed blocks"};
  size_t first_ = 0;   // blocks before are released
  size_t closed_ = 0;  // blocks before wait for epoch_; the others for the next batch
  uint64_t epoch_ = 0;
};

}  // namespace taskrace

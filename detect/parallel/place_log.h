// PlaceLog: where in the program the strands of one worker touched what cells remember them for. Cells
// know strands only; whoever finds a race asks here for the line.
//
// Idea:       a worker notes its first touches for itself (strand_log.h), and hands them over at the
//             moment when a cell is about to remember the strand. So whoever finds the strand in a cell
//             finds its places here, and a strand that no cell remembers leaves nothing.
// Forgotten:  with the records (collection.h), by the same argument: what a worker has handed over before
//             it settled, and what no cell has when all are looked at then, is of no use.
// Thread rule: any thread; but Take, Add and Settle by the worker alone, Collect by one thread at a time.
// Cost:       a lock for each strand that is remembered; memory as access_log.h.
// Tested by:  test/detect/parallel_places_test.cc
#pragma once

#include <algorithm>
#include <atomic>

#include "detect/access_log.h"
#include "detect/ds/spin_lock.h"
#include "detect/parallel/number_set.h"
#include "detect/parallel/quarantine.h"

namespace taskrace {

class PlaceLog {
 public:
  constexpr PlaceLog() = default;

  // Takes over what the worker's strand has noted. True: there is so much, beside so many other bytes,
  // that a collection pays.
  bool Take(StrandId strand, AccessLog& noted, size_t others) {
    const SpinLock::Guard guard(busy_);
    last_ = strand;
    log_.Take(noted);
    bytes_.store(log_.BytesUsed(), std::memory_order_relaxed);
    return log_.BytesUsed() > std::max(limit_, others);
  }
  // One access that was not noted before.
  void Add(const RacingAccess& by, Where where, const AccessLog::Touch& touch) {
    const SpinLock::Guard guard(busy_);
    last_ = by.strand;
    log_.Add(by, where, touch);
    bytes_.store(log_.BytesUsed(), std::memory_order_relaxed);
  }
  // Requires: a cell has the strand for that.
  AccessLog::Found Find(const RacingAccess& by, uintptr_t byte) {
    const SpinLock::Guard guard(busy_);
    return log_.Find(by, byte);
  }

  // Of the strands before this one everything is told.
  void Settle(StrandId strand) { settled_.store(Index(strand), std::memory_order_release); }
  // A collection begins to look at cells; requires: all that was settled is in them.
  void BeginCollection() { kept_from_ = settled_.load(std::memory_order_acquire); }
  // Forgets strands that were settled when it began, unless for_each_live(visit) calls visit(strand).
  template <class ForEachLive>
  void Collect(ForEachLive for_each_live) {
    const SpinLock::Guard guard(busy_);
    const auto mark_roots = [&](auto mark) {
      for_each_live(mark);
      for (uint32_t i = kept_from_; i <= Index(last_); ++i) mark(StrandId{i});
    };
    log_.Collect(SIZE_MAX, mark_roots, [](StrandId, uintptr_t, size_t) { return true; });
    bytes_.store(log_.BytesUsed(), std::memory_order_relaxed);
    limit_ = 2 * log_.BytesUsed();
  }

  // Forgets all strands. Requires: the worker does not run.
  void Forget() {
    const SpinLock::Guard guard(busy_);
    log_.Drop();
    bytes_.store(0, std::memory_order_relaxed);
  }

  // Without the lock, which a thread that a signal has interrupted may hold.
  size_t BytesUsed() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  SpinLock busy_;
  AccessLog log_;
  std::atomic<size_t> bytes_{0};  // of the log
  StrandId last_ = {};            // that anything is known of
  size_t limit_ = 0;              // so many bytes are not looked through again
  std::atomic<uint32_t> settled_{0};
  uint32_t kept_from_ = 0;  // of whoever collects
};

// The logs of all workers, and which strands cells have.
class PlaceLogs {
 public:
  constexpr PlaceLogs() = default;

  // The log lives as long as this.
  void Join(size_t worker, PlaceLog& log) { logs_[worker].store(&log); }
  PlaceLog& operator[](size_t worker) { return *logs_[worker].load(std::memory_order_acquire); }

  // A collection, by one thread: BeginCollection, Mark for each strand in a cell, Collect.
  void BeginCollection() {
    live_.Clear();
    ForEachLog([](PlaceLog& log) { log.BeginCollection(); });
  }
  void Mark(StrandId strand) { live_.Add(Index(strand)); }
  void Collect() {
    const auto for_each_live = [this](auto& mark) {
      live_.ForEach([&](uint32_t strand) { mark(StrandId{strand}); });
    };
    ForEachLog([&](PlaceLog& log) { log.Collect(for_each_live); });
  }
  // Forgets all strands. Requires: nobody else runs.
  void Forget() {
    ForEachLog([](PlaceLog& log) { log.Forget(); });
  }

 private:
  template <class Visit>
  void ForEachLog(Visit visit) {
    for (std::atomic<PlaceLog*>& log : logs_) {
      if (PlaceLog* joined = log.load(std::memory_order_acquire)) visit(*joined);
    }
  }

  std::atomic<PlaceLog*> logs_[Epochs::kMostWorkers] = {};
  NumberSet live_{"the log of accesses"};  // strands
};

}  // namespace taskrace

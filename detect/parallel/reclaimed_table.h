// ReclaimedTable: entries of one type by number, in blocks of 256, added by many workers. Those that nobody
// needs any more are used again; who that is, a collection finds out (collection.h).
//
// Invariant:  a block is in the hands of one cursor, or free, or neither. While a collection is going on,
//             no candidate is free: whoever has let go of its block does not write to what is looked at.
//             Blocks without any entry are no candidates, so that they can be filled meanwhile.
// Thread rule: any worker, each with a Cursor of its own; a collection by one thread at a time.
// Cost:       a search is a count of bits and two loads; a lock for 256 entries at most.
// Tested by:  test/detect/parallel_records_test.cc, test/detect/parallel_nodes_test.cc
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>

#include "detect/ds/mapped_array.h"
#include "detect/ds/shared_table.h"
#include "detect/ds/spin_lock.h"
#include "detect/parallel/number_set.h"

namespace taskrace {

template <class T>
class ReclaimedTable {
  static constexpr unsigned kBlockBits = 8;

 public:
  // As SharedTable's.
  static constexpr uint32_t kBlock = 1u << kBlockBits;

 private:
  static constexpr unsigned kWords = kBlock / 64;
  // A bit for each entry of a block.
  struct Bits {
    uint64_t words[kWords];
  };
  struct FreeBlock {
    uint32_t block;
    Bits free;
    uint32_t Count() const {
      int count = 0;
      for (const uint64_t word : free.words) count += std::popcount(word);
      return static_cast<uint32_t>(count);
    }
    bool IsEmpty() const { return Count() == kBlock; }
  };

 public:
  // The block that a worker fills.
  class Cursor {
   public:
    // From now on the worker fills another one.
    void LetGo() { free_ = {}; }

   private:
    friend ReclaimedTable;
    uint32_t first_ = 0;
    Bits free_ = {};
  };

  explicit constexpr ReclaimedTable(const char* what)
      : entries_(what), free_(what), empty_(what), marked_(what) {}

  // A new entry; returns its number, which is not 0.
  uint32_t Add(Cursor& cursor, const T& entry) {
    for (;;) {
      for (unsigned i = 0; i < kWords; ++i) {
        uint64_t& free = cursor.free_.words[i];
        if (free == 0) continue;
        const uint32_t number =
            cursor.first_ + i * 64 + static_cast<unsigned>(std::countr_zero(free));
        free &= free - 1;
        (*this)[number] = entry;
        return number;
      }
      TakeBlock(cursor);
    }
  }
  // Requires: Add returned the number, and whoever asks may know it (collection.h).
  T& operator[](uint32_t number) { return entries_[number]; }
  const T& operator[](uint32_t number) const { return entries_[number]; }

  // Forgets all entries, whose numbers are used again. Requires: nobody else knows the table, and all
  // cursors have let go before they are used again.
  void Forget() {
    entries_.Forget();
    free_.Truncate(0);
    taken_ = 0;
  }
  // No number so far is this large.
  uint32_t Size() const { return entries_.Size(); }

  // Sets the flag when there are so many entries that a collection pays. Before the first Add.
  constexpr void SetWhenLarge(std::atomic<bool>& wanted) { wanted_ = &wanted; }

  // A collection begins: nothing of what is here by now, the candidates, is marked.
  void BeginCollection() {
    const SpinLock::Guard guard(free_busy_);
    marked_.Clear();
    empty_.Clear();
    size_t kept = 0;
    for (size_t i = 0; i < free_.Size(); ++i) {
      if (!free_[i].IsEmpty()) continue;
      empty_.Add(free_[i].block);
      free_[kept++] = free_[i];
    }
    free_.Truncate(kept);
    candidate_blocks_ = entries_.Size() >> kBlockBits;
    taken_ = 0;
  }
  bool IsCandidate(uint32_t number) const { return IsCandidateBlock(number >> kBlockBits); }
  // The entry stays. False: it was marked, or is no candidate.
  bool Mark(uint32_t number) { return IsCandidate(number) && marked_.Add(number); }
  uint64_t MarkedWord(size_t i) const { return marked_.Word(i); }
  // Calls visit(i) for all candidates, as words of a NumberSet; also for those that were never added.
  template <class Visit>
  void ForEachCandidateWord(Visit visit) const {
    for (uint32_t block = 1; block < candidate_blocks_; ++block) {
      if (!IsCandidateBlock(block)) continue;
      for (size_t i = 0; i < kWords; ++i) visit(size_t{block} * kWords + i);
    }
  }
  // Candidates that are not marked may be used again. `others`: so many bytes must be looked at to find
  // them.
  void EndCollection(size_t others) {
    size_t live = 0;
    for (uint32_t block = 1; block < candidate_blocks_; ++block) {
      if (!IsCandidateBlock(block)) continue;
      FreeBlock made{block, {}};
      for (unsigned i = 0; i < kWords; ++i) {
        made.free.words[i] = ~marked_.Word(size_t{block} * kWords + i);
      }
      live += kBlock - made.Count();
      if (made.Count() < kFewFree) continue;
      const SpinLock::Guard guard(free_busy_);
      free_.Append(made);
    }
    const SpinLock::Guard guard(free_busy_);
    limit_ = std::max<size_t>(kFewBlocks, live / kBlock + others / 8 / (kBlock * sizeof(T)));
  }

  size_t BytesUsed() const { return entries_.BytesUsed(); }

 private:
  static constexpr uint32_t kFewBlocks = 256;
  // A block with fewer free entries is not worth the search.
  static constexpr uint32_t kFewFree = 32;

  bool IsCandidateBlock(uint32_t block) const {
    return block < candidate_blocks_ && !empty_.Has(block);
  }

  [[gnu::noinline]] void TakeBlock(Cursor& cursor) {
    {
      const SpinLock::Guard guard(free_busy_);
      if (++taken_ >= limit_ && wanted_ != nullptr) wanted_->store(true, std::memory_order_relaxed);
      if (!free_.Empty()) {
        cursor.first_ = free_.Back().block << kBlockBits;
        cursor.free_ = free_.Back().free;
        free_.PopBack();
        return;
      }
    }
    typename SharedTable<T, kBlock>::Cursor whole_block;
    cursor.first_ = entries_.Add(whole_block);
    std::fill(std::begin(cursor.free_.words), std::end(cursor.free_.words), ~uint64_t{0});
  }

  SharedTable<T, kBlock> entries_;
  std::atomic<bool>* wanted_ = nullptr;
  SpinLock free_busy_;
  size_t taken_ = 0;           // blocks since the newest collection began
  size_t limit_ = kFewBlocks;  // so many of them are few
  MappedArray<FreeBlock> free_;
  // Of whoever collects.
  uint32_t candidate_blocks_ = 0;  // before this one
  NumberSet empty_;                // but for these
  NumberSet marked_;
};

}  // namespace taskrace

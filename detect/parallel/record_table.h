// RecordTable: the access records of a parallel run by number, in blocks of 256; and which of those that
// nobody remembers any more are used again.
//
// Idea:       marking, while the others run. A record is remembered by cells of the history and by nobody
//             else for longer than a worker tells. Records never move from one location to another.
//             So it is enough that nobody who runs knows a record which no cell has:
//   settle    a new round; workers drop what they know by number, and the block that they fill
//             (Cursor::Renew). When all have told once more (quarantine.h), a record that is older
//             and still needed is in a cell.
//   mark      one worker looks at all cells. An unmarked record is in no cell, and comes into none.
//   reuse     another round. When all have told once more, nobody knows a record that is not marked. Then
//             the places of strands that have no other record are forgotten, too (place_log.h).
// Invariant:  a block is in the hands of one cursor, or free, or neither: then it is a candidate.
// Thread rule: any worker, each with a Cursor of its own; Advance by whoever comes first.
// Cost:       16 bytes a record; a look at a flag per Tell. A collection costs a step a line of cells, and
//             comes when there are twice as many records as the last one has left, and an eighth of the
//             shadow's bytes more.
// Tested by:  test/detect/parallel_records_test.cc, test/oracle/parallel_threads_test.cc
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "detect/ds/mapped_array.h"
#include "detect/ds/shared_table.h"
#include "detect/ds/spin_lock.h"
#include "detect/parallel/access_record.h"
#include "detect/parallel/place_log.h"
#include "detect/parallel/quarantine.h"

namespace taskrace {

class RecordTable {
  static constexpr unsigned kBlockBits = 8;
  static constexpr unsigned kWords = (1u << kBlockBits) / 64;
  struct Block {
    AccessRecord records[1u << kBlockBits];
  };
  // A bit for each record of a block.
  struct Bits {
    uint64_t words[kWords];
  };
  struct FreeBlock {
    uint32_t block;
    Bits free;
  };

 public:
  // The block that a worker fills.
  class Cursor {
    friend RecordTable;
    SharedTable<Block, 1>::Cursor blocks_ = {};
    uint32_t first_ = 0;
    Bits free_ = {};
    uint32_t round_ = 0;
  };

  constexpr RecordTable(Epochs& epochs, PlaceLogs& places) : epochs_(epochs), places_(places) {}

  RecordId Add(Cursor& cursor, const AccessRecord& record) {
    for (;;) {
      for (unsigned i = 0; i < kWords; ++i) {
        uint64_t& free = cursor.free_.words[i];
        if (free == 0) continue;
        const RecordId id = cursor.first_ + i * 64 + static_cast<unsigned>(std::countr_zero(free));
        free &= free - 1;
        At(id) = record;
        return id;
      }
      TakeBlock(cursor);
    }
  }
  // Requires: Add returned the number, and some cell has had it since the worker told last.
  const AccessRecord& operator[](RecordId id) const {
    return const_cast<RecordTable*>(this)->At(id);
  }

  // True if a round has begun since: then the worker must forget all numbers of records. Before each
  // time that a worker tells something.
  [[gnu::always_inline]] bool Renew(Cursor& cursor) const {
    const uint32_t round = round_.load();
    if (cursor.round_ == round) [[likely]]
      return false;
    cursor.round_ = round;
    cursor.free_ = {};
    return true;
  }

  // A collection is to begin.
  void Collect() { is_wanted_.store(true, std::memory_order_relaxed); }
  // Whether Advance may have something to do.
  bool IsCollecting() const { return is_wanted_.load(std::memory_order_relaxed); }
  // Goes on with a collection as far as others let. for_each_record(visit) calls visit(id) for all that
  // cells have, and returns the bytes of the cells. Requires: the worker has told everything.
  template <class ForEachRecord>
  void Advance(ForEachRecord for_each_record) {
    if (is_advancing_.exchange(true)) return;
    if (state_ == State::kIdle) {
      ChooseCandidates();
      BeginRound(State::kSettling);
    } else if (epochs_.HasPassed(epoch_)) {
      if (state_ == State::kSettling) {
        places_.BeginCollection();
        cell_bytes_ = for_each_record([this](RecordId id) { Mark(id); });
        BeginRound(State::kMarked);
      } else {
        Free();
        places_.Collect();
        state_ = State::kIdle;
        is_wanted_.store(false, std::memory_order_relaxed);
      }
    }
    is_advancing_.store(false);
  }

  size_t BytesUsed() const { return blocks_.BytesUsed(); }

 private:
  enum class State { kIdle, kSettling, kMarked };
  static constexpr uint32_t kFewBlocks = 256;
  // A block with fewer free records is not worth the search.
  static constexpr int kFewFree = 32;

  AccessRecord& At(RecordId id) {
    return blocks_[id >> kBlockBits].records[id % (1u << kBlockBits)];
  }

  [[gnu::noinline]] void TakeBlock(Cursor& cursor) {
    {
      const SpinLock::Guard guard(free_busy_);
      if (!free_.Empty()) {
        cursor.first_ = free_.Back().block << kBlockBits;
        cursor.free_ = free_.Back().free;
        free_.PopBack();
        return;
      }
    }
    const uint32_t block = blocks_.Add(cursor.blocks_);
    CHECK(block < 1u << (32 - kBlockBits), "the program has too many accesses that are remembered");
    cursor.first_ = block << kBlockBits;
    std::fill(std::begin(cursor.free_.words), std::end(cursor.free_.words), ~uint64_t{0});
    if (block >= limit_.load(std::memory_order_relaxed)) Collect();
  }

  void BeginRound(State state) {
    state_ = state;
    round_.fetch_add(1);
    epoch_ = epochs_.Begin();
  }

  // All blocks that there are, but the free ones: those may be in somebody's hands soon.
  void ChooseCandidates() {
    marks_.Truncate(0);
    marks_.Resize(blocks_.Size());
    const SpinLock::Guard guard(free_busy_);
    for (size_t i = 0; i < free_.Size(); ++i) {
      for (uint64_t& word : marks_[free_[i].block].words) word = ~uint64_t{0};
    }
  }
  void Mark(RecordId id) {
    if (id == kNobody) return;
    const uint32_t block = id >> kBlockBits;
    if (block < marks_.Size()) marks_[block].words[id / 64 % kWords] |= uint64_t{1} << id % 64;
    places_.Mark(At(id).strand);
  }
  void Free() {
    size_t free = 0;
    for (uint32_t block = 1; block < marks_.Size(); ++block) {
      FreeBlock made{block, marks_[block]};
      int count = 0;
      for (uint64_t& word : made.free.words) {
        word = ~word;
        count += std::popcount(word);
      }
      if (count < kFewFree) continue;
      const SpinLock::Guard guard(free_busy_);
      free_.Append(made);
      free += static_cast<size_t>(count);
    }
    const size_t live = marks_.Size() - (free >> kBlockBits);
    limit_.store(static_cast<uint32_t>(
                     std::max<size_t>(kFewBlocks, 2 * live + cell_bytes_ / 8 / sizeof(Block))),
                 std::memory_order_relaxed);
  }

  Epochs& epochs_;
  PlaceLogs& places_;
  SharedTable<Block, 1> blocks_{"the accesses that are remembered"};
  std::atomic<uint32_t> round_{0};
  std::atomic<uint32_t> limit_{kFewBlocks};  // so many blocks, and a collection is wanted
  std::atomic<bool> is_wanted_{false};
  SpinLock free_busy_;
  MappedArray<FreeBlock> free_{"the accesses that are remembered"};
  // Of whoever advances.
  std::atomic<bool> is_advancing_{false};
  State state_ = State::kIdle;
  uint64_t epoch_ = 0;
  size_t cell_bytes_ = 0;
  MappedArray<Bits> marks_{"the accesses that are remembered"};  // by block
};

}  // namespace taskrace

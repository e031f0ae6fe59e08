// The table of live heap blocks: how large each is, and where it was allocated.
//
// Thread rule: any thread; a spin lock, held for some tens of instructions. Cost: one probe
// or two per call; 16 bytes a block, at most twice that with the free slots. Containing()
// and Before() look at all of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detect/ds/intern_table.h"
#include "detect/ds/mapped_array.h"
#include "detect/ds/spin_lock.h"
#include "report/race.h"

namespace taskrace {

class Blocks {
 public:
  struct Block {
    uintptr_t first;  // 0: no block
    size_t size;
    Where allocated_at;
    uint32_t thread;  // of a team, that allocated it: RunningTask::thread
  };

  void Add(uintptr_t first, size_t size, Where allocated_at, uint32_t thread = 0) {
    SpinLock::Guard guard(busy_);
    if ((used_ + 1) * 2 > slots_.Size()) Grow();
    used_ += Put({first, size, allocated_at, thread});
  }

  // The block that begins at `first`; none: its `first` is 0.
  Block At(uintptr_t first) {
    SpinLock::Guard guard(busy_);
    return slots_.Empty() ? Block{} : slots_[SlotOf(first)];
  }

  // Takes the block that begins at `first` out of the table, if there is one.
  void Remove(uintptr_t first) {
    SpinLock::Guard guard(busy_);
    if (slots_.Empty()) return;
    size_t i = SlotOf(first);
    if (slots_[i].first == 0) return;
    --used_;
    // Close the gap: whatever probing from its home would have passed slot i moves up.
    slots_[i] = {};
    for (size_t j = Next(i); slots_[j].first != 0; j = Next(j)) {
      if (((j - Home(slots_[j].first)) & Mask()) >= ((j - i) & Mask())) {
        slots_[i] = slots_[j];
        slots_[j] = {};
        i = j;
      }
    }
  }

  // The block around the address; none: its `first` is 0. For reports.
  Block Containing(uintptr_t address) {
    SpinLock::Guard guard(busy_);
    for (size_t i = 0; i < slots_.Size(); ++i) {
      const Block& block = slots_[i];
      if (block.first != 0 && address - block.first < block.size) return block;
    }
    return {};
  }

  // The block that ends nearest at or before the address; none: its `first` is 0. For reports.
  Block Before(uintptr_t address) {
    SpinLock::Guard guard(busy_);
    Block nearest{};
    for (size_t i = 0; i < slots_.Size(); ++i) {
      const Block& block = slots_[i];
      const uintptr_t end = block.first + block.size;
      if (block.first != 0 && end <= address && end > nearest.first + nearest.size) nearest = block;
    }
    return nearest;
  }

  size_t Size() const { return used_; }

 private:
  size_t Mask() const { return slots_.Size() - 1; }
  size_t Home(uintptr_t first) const { return Mix(first) & Mask(); }
  size_t Next(size_t i) const { return (i + 1) & Mask(); }

  // Where the block that begins at `first` is, or the free slot where it belongs.
  size_t SlotOf(uintptr_t first) const {
    size_t i = Home(first);
    while (slots_[i].first != 0 && slots_[i].first != first) i = Next(i);
    return i;
  }

  // True if there was no block at that address before.
  bool Put(const Block& block) {
    const size_t i = SlotOf(block.first);
    const bool is_new = slots_[i].first == 0;
    slots_[i] = block;
    return is_new;
  }

  void Grow() {
    MappedArray<Block> old("the table of heap blocks");
    for (size_t i = 0; i < slots_.Size(); ++i) {
      if (slots_[i].first != 0) old.Append(slots_[i]);
    }
    const size_t wanted = slots_.Size() == 0 ? 4096 : slots_.Size() * 2;
    slots_.Truncate(0);
    slots_.Resize(wanted);
    for (size_t i = 0; i < old.Size(); ++i) Put(old[i]);
  }

  SpinLock busy_;
  MappedArray<Block> slots_{"the table of heap blocks"};  // open addressing; a power of two
  size_t used_ = 0;
};

}  // namespace taskrace

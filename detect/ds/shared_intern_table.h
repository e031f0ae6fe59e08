// SharedInternTable: equal entries get equal numbers, whichever thread asks.
//
// Entry has `uint64_t Hash() const` and `operator==`, and is plain data. Never shrinks.
// Idea:       tables of slots, each four times as large as the one before; an entry is in the first
//             free one of a few slots of the first table that has any. Slots are filled by CAS and never
//             emptied, so all who look for an entry go the same way and meet at the same slot.
// Thread rule: any thread, each with a Cursor of its own. Callers keep what they ask for often.
// Cost:       a few probes in each table that is in use; the entry plus some 6 bytes. An entry that two
//             add at once is stored twice, and one of the copies has no number that anyone knows.
// Tested by:  test/detect/parallel_tables_test.cc
#pragma once

#include <atomic>

#include "detect/ds/shared_table.h"

namespace taskrace {

template <class Entry>
class SharedInternTable {
 public:
  using Cursor = SharedTable<Entry>::Cursor;

  constexpr SharedInternTable() = default;
  SharedInternTable(const SharedInternTable&) = delete;
  SharedInternTable& operator=(const SharedInternTable&) = delete;
  ~SharedInternTable() {
    for (unsigned i = 0; i < kLevels; ++i) {
      if (Slot* slots = levels_[i].load()) Unmap(slots, SlotsOf(i) * sizeof(Slot));
    }
  }

  // The number of the entry, given now if it is new; never 0.
  uint32_t Intern(Cursor& cursor, const Entry& entry) {
    const uint64_t hash = entry.Hash();
    uint32_t made = 0;
    for (unsigned level = 0; level < kLevels; ++level) {
      Slot* slots = Level(level);
      for (uint64_t probe = 0; probe < kProbes; ++probe) {
        Slot& slot = slots[(hash + probe) % SlotsOf(level)];
        uint32_t number = slot.load(std::memory_order_acquire);
        if (number == 0) {
          if (made == 0) made = entries_.Add(cursor, entry);
          if (slot.compare_exchange_strong(number, made, std::memory_order_acq_rel)) return made;
        }
        if (entries_[number] == entry) return number;
      }
    }
    LimitReached("a table of the detector is full");
  }

  // Requires: Intern returned the number.
  const Entry& operator[](uint32_t number) const { return entries_[number]; }
  size_t BytesUsed() const { return entries_.BytesUsed(); }

 private:
  using Slot = std::atomic<uint32_t>;
  static constexpr unsigned kLevels = 10;
  static constexpr uint64_t kProbes = 8;

  static constexpr size_t SlotsOf(unsigned level) { return size_t{1} << (12 + 2 * level); }

  Slot* Level(unsigned level) {
    Slot* slots = levels_[level].load(std::memory_order_acquire);
    return slots != nullptr ? slots : MakeLevel(level);
  }
  [[gnu::noinline]] Slot* MakeLevel(unsigned level) {
    const size_t bytes = SlotsOf(level) * sizeof(Slot);
    Slot* made = static_cast<Slot*>(Map(bytes, "calling contexts"));
    Slot* others = nullptr;
    if (levels_[level].compare_exchange_strong(others, made)) return made;
    Unmap(made, bytes);
    return others;
  }

  SharedTable<Entry> entries_{"calling contexts"};
  std::atomic<Slot*> levels_[kLevels] = {};
};

}  // namespace taskrace

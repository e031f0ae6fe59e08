// InternTable: equal entries get equal numbers, from 1, in order of first appearance.
//
// Entry has `uint64_t Hash() const` and `operator==`, and is plain data. Never shrinks.
// Thread rule: one thread, or the caller locks. Cost: one probe or two; the
// entry plus about 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detect/ds/check.h"
#include "detect/ds/mapped_array.h"

namespace taskrace {

// Spreads the bits of a word over all of the result.
constexpr uint64_t Mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0x9E3779B97F4A7C15;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9;
  return x ^ (x >> 32);
}

template <class Entry>
class InternTable {
 public:
  // The number of the entry, given now if it is new.
  uint32_t Intern(const Entry& entry) {
    if (entries_.Size() == 0) entries_.Append(Entry{});  // 0 is nobody's number
    if (entries_.Size() * 2 >= slots_.Size()) Grow();
    uint32_t& slot = SlotOf(entry);
    if (slot == 0) {
      slot = static_cast<uint32_t>(entries_.Size());
      entries_.Append(entry);
    }
    return slot;
  }

  // Requires: id was returned by Intern.
  const Entry& operator[](uint32_t id) const {
    DCHECK(id != 0 && id < entries_.Size(), "nobody has this number");
    return entries_[id];
  }

  // To change what neither Hash nor operator== looks at.
  Entry& At(uint32_t id) { return entries_[id]; }

  size_t Size() const { return entries_.Size() == 0 ? 0 : entries_.Size() - 1; }
  size_t BytesUsed() const { return entries_.BytesUsed() + slots_.BytesUsed(); }

 private:
  // The slot that holds the entry's number, or the empty one where it belongs.
  uint32_t& SlotOf(const Entry& entry) {
    const size_t mask = slots_.Size() - 1;
    for (size_t i = entry.Hash() & mask;; i = (i + 1) & mask) {
      if (slots_[i] == 0 || entries_[slots_[i]] == entry) return slots_[i];
    }
  }

  void Grow() {
    const size_t wanted = slots_.Size() == 0 ? 1024 : slots_.Size() * 2;
    slots_.Truncate(0);
    slots_.Resize(wanted);
    for (uint32_t id = 1; id < entries_.Size(); ++id) SlotOf(entries_[id]) = id;
  }

  MappedArray<Entry> entries_;   // entries_[0] is unused
  MappedArray<uint32_t> slots_;  // open addressing; a power of two; 0: empty
};

}  // namespace taskrace

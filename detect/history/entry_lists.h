// EntryLists: what is remembered of an interval where a writer and readers are too little: atomics
// and locks. A list is a number, and equal lists have equal numbers, so that neighbouring intervals
// with one list are one interval.
//
// Invariant:  a list never changes; each has one slot in the table of all.
// Thread rule: one thread. Intern moves entries: spans are valid until the next one.
// Cost:       O(length) per Intern; 12 bytes an entry and 20 a list, at most half of them unused.
//             Lists that nothing refers to any more are found by marking.
// Tested by:  test/detect/intervals_test.cc
#pragma once

#include <span>

#include "detect/ds/intern_table.h"
#include "detect/ds/list_pool.h"
#include "detect/reach/ids.h"
#include "report/race.h"

namespace taskrace {

// An access that is remembered.
struct IntervalEntry {
  StrandId strand;
  LockSet locks;
  AccessKind kind;
  bool operator==(const IntervalEntry&) const = default;
};
static_assert(sizeof(IntervalEntry) == 12);

class EntryLists {
 public:
  using List = uint32_t;

  constexpr EntryLists() = default;

  // The number of the list. Requires: the entries are not in here.
  List Intern(std::span<const IntervalEntry> entries) {
    if (used_ * 2 >= slots_.Size()) Rebuild(used_ * 4);
    Slot& slot = SlotOf(entries);
    if (slot.list == Pool::kNone) {
      slot.list = pool_.Make();
      for (const IntervalEntry& entry : entries) slot.list = pool_.Append(slot.list, entry);
      ++used_;
      ++made_;
    }
    return slot.list;
  }
  std::span<const IntervalEntry> operator[](List list) const { return pool_[list]; }

  // So many lists have been made since the last collection.
  size_t Made() const { return made_; }
  // Frees what is not marked. Requires: mark_roots(mark) calls mark(list) for every list in use.
  template <class MarkRoots>
  void Collect(MarkRoots mark_roots) {
    mark_roots([this](List list) { SlotOf(pool_[list]).marked = true; });
    for (size_t i = 0; i < slots_.Size(); ++i) {
      if (slots_[i].list == Pool::kNone || slots_[i].marked) continue;
      pool_.Free(slots_[i].list);
      slots_[i].list = Pool::kNone;
      --used_;
    }
    made_ = 0;
    Rebuild(used_ * 4);
  }

  // Calls visit(entry) for every entry of every list; since the last collection, some in vain.
  template <class Visit>
  void ForEachEntry(Visit visit) const {
    for (size_t i = 0; i < slots_.Size(); ++i) {
      if (slots_[i].list == Pool::kNone) continue;
      for (const IntervalEntry& entry : pool_[slots_[i].list]) visit(entry);
    }
  }

  size_t Used() const { return used_; }
  size_t BytesUsed() const { return pool_.BytesUsed() + slots_.BytesUsed(); }

 private:
  using Pool = ListPool<IntervalEntry>;
  struct Slot {
    List list;  // none: the slot is empty
    bool marked;
  };
  static constexpr size_t kLeastSlots = 256;

  static uint64_t Hash(std::span<const IntervalEntry> entries) {
    uint64_t hash = entries.size();
    for (const IntervalEntry& e : entries) {
      const uint64_t strand_and_kind =
          uint64_t{Index(e.strand)} << 8 | static_cast<uint8_t>(e.kind);
      hash = Mix(hash ^ strand_and_kind ^ uint64_t{static_cast<uint32_t>(e.locks)} << 40);
    }
    return hash;
  }

  // The slot that holds the list, or the empty one where it belongs.
  Slot& SlotOf(std::span<const IntervalEntry> entries) {
    const size_t mask = slots_.Size() - 1;
    for (size_t i = Hash(entries) & mask;; i = (i + 1) & mask) {
      if (slots_[i].list == Pool::kNone) return slots_[i];
      const std::span<const IntervalEntry> others = pool_[slots_[i].list];
      if (std::equal(others.begin(), others.end(), entries.begin(), entries.end()))
        return slots_[i];
    }
  }

  // A table with `wanted` slots at least, and nothing marked.
  [[gnu::noinline]] void Rebuild(size_t wanted) {
    lists_.Truncate(0);
    for (size_t i = 0; i < slots_.Size(); ++i) {
      if (slots_[i].list != Pool::kNone) lists_.Append(slots_[i].list);
    }
    slots_.Truncate(0);
    slots_.Resize(std::bit_ceil(std::max(kLeastSlots, wanted)));
    for (size_t i = 0; i < lists_.Size(); ++i) SlotOf(pool_[lists_[i]]).list = lists_[i];
  }

  Pool pool_{"intervals"};
  MappedArray<Slot> slots_{"intervals"};  // open addressing; a power of two
  MappedArray<List> lists_{"intervals"};  // while the table is rebuilt
  size_t used_ = 0;
  size_t made_ = 0;
};

}  // namespace taskrace

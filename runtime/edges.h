// Happens-before edges that the program declares with <taskrace/annotate.h>: accesses before a tag are
// ordered before accesses after it. Each happens_before is a promise that is set, each happens_after a get of
// all that were set for its tag.
//
// A set that precedes a newer one of its tag is dropped: a strand that gets the newer one comes after
// both. Thread rule: the worker. Cost: O(parallel sets of the tag) per call; 20 bytes or so a tag
// ever used, and 12 a set.
#pragma once

#include <cstdint>

#include "detect/ds/intern_table.h"
#include "detect/ds/mapped_array.h"
#include "detect/reach/ids.h"

namespace taskrace {

class Edges {
 public:
  // The strand has set the promise for the tag; `precedes` says of an older strand if it precedes.
  template <class Precedes>
  void Add(uintptr_t tag, PromiseId promise, StrandId strand, Precedes precedes) {
    const uint32_t added = NewSet();
    uint32_t* link = &OldestOf(tag);
    while (*link != kNone) {
      if (precedes(sets_[*link].strand)) {
        Free(*link);
      } else {
        link = &sets_[*link].next;
      }
    }
    sets_[added] = {promise, strand, kNone};
    *link = added;
  }

  // What was set for the tag so far is not got any more.
  void Forget(uintptr_t tag) {
    uint32_t& oldest = OldestOf(tag);
    while (oldest != kNone) Free(oldest);
  }

  // Calls visit(promise, strand) for every set of the tag, the oldest first.
  template <class Visit>
  void ForEach(uintptr_t tag, Visit visit) {
    for (uint32_t set = OldestOf(tag); set != kNone; set = sets_[set].next) {
      visit(sets_[set].promise, sets_[set].strand);
    }
  }

 private:
  static constexpr uint32_t kNone = 0;

  struct Tag {
    uintptr_t address;
    uint64_t Hash() const { return Mix(address); }
    bool operator==(const Tag&) const = default;
  };
  struct Set {
    PromiseId promise;
    StrandId strand;
    uint32_t next;  // of the same tag, newer; of a free one, free
  };

  uint32_t& OldestOf(uintptr_t tag) {
    const uint32_t number = tags_.Intern({tag});
    if (oldest_.Size() <= number) oldest_.Resize(number + 1);
    return oldest_[number];
  }
  uint32_t NewSet() {
    if (sets_.Empty()) sets_.Append({});  // set 0 is unused: kNone
    if (free_ == kNone) {
      free_ = static_cast<uint32_t>(sets_.Size());
      sets_.Append({});
    }
    const uint32_t made = free_;
    free_ = sets_[made].next;
    return made;
  }
  // The link leads to the next set instead.
  void Free(uint32_t& link) {
    const uint32_t freed = link;
    link = sets_[freed].next;
    sets_[freed].next = free_;
    free_ = freed;
  }

  InternTable<Tag> tags_;
  MappedArray<uint32_t> oldest_{"happens-before edges"};  // set of each tag
  MappedArray<Set> sets_{"happens-before edges"};
  uint32_t free_ = kNone;
};

}  // namespace taskrace

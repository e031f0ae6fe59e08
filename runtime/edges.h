// Edges that the program declares with <taskrace/annotate.h>: what happened before a tag precedes
// what happens after it. Each happens_before is a promise that is set, each happens_after a get of
// all that were set for its tag.
//
// A set that precedes a newer one of its tag is dropped: whoever gets the newer one comes after
// both. Thread rule: the worker. Cost: O(tags in use) to find one, O(parallel sets) per call.
#pragma once

#include <cstdint>

#include "detect/ds/mapped_array.h"
#include "detect/reach/ids.h"

namespace taskrace {

class Edges {
 public:
  // The strand has set the promise for the tag; `precedes` says of an older strand if it precedes.
  template <class Precedes>
  void Add(uintptr_t tag, PromiseId promise, StrandId strand, Precedes precedes) {
    size_t kept = 0;
    for (size_t i = 0; i < sets_.Size(); ++i) {
      if (sets_[i].tag != tag || !precedes(sets_[i].strand)) sets_[kept++] = sets_[i];
    }
    sets_.Truncate(kept);
    sets_.Append({tag, promise, strand});
  }

  // Calls visit(promise) for every set of the tag.
  template <class Visit>
  void ForEach(uintptr_t tag, Visit visit) const {
    for (size_t i = 0; i < sets_.Size(); ++i) {
      if (sets_[i].tag == tag) visit(sets_[i].promise);
    }
  }

 private:
  struct Set {
    uintptr_t tag;
    PromiseId promise;
    StrandId strand;
  };
  MappedArray<Set> sets_{"happens-before edges"};
};

}  // namespace taskrace

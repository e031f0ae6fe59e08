// CellCounts: what one worker has done to cells, in numbers; and the change of a cell that counts itself.
//
// Thread rule: one worker each. Cost: an addition.
#pragma once

#include "detect/ds/versioned_words.h"

namespace taskrace {

struct CellCounts {
  uint64_t cells = 0;      // visited
  uint64_t changes = 0;    // of a cell, or of a line of them at once: writes to shared memory
  uint64_t conflicts = 0;  // changes that somebody else was faster at

  // True if the cell says `after` now; false if somebody has changed it since it was seen.
  template <class Cell>
  bool Replace(Cell& cell, const VersionedWords::Snapshot& seen,
               const VersionedWords::Words& after) {
    if (after == seen.words) return true;
    if (cell.Replace(seen, after)) [[likely]] {
      ++changes;
      return true;
    }
    ++conflicts;
    return false;
  }
};

}  // namespace taskrace

// SplitCells: the parts of cells whose bytes do not agree. A cell has two parts of half its bytes, down to
// single bytes.
//
// Idea:       a cell that is forgotten as a whole is whole again, and its parts are used for another
//             one: but not before every worker has told what it is telling now (quarantine.h), for it
//             may have found them before.
// Thread rule: any thread, each with a Cursor of its own. Parts stay where they are.
// Cost:       32 bytes a cell that is split.
// Tested by:  test/oracle/parallel_orders_test.cc, test/detect/parallel_worker_test.cc
#pragma once

#include <algorithm>

#include "detect/ds/shared_table.h"
#include "detect/ds/versioned_words.h"
#include "detect/parallel/quarantine.h"

namespace taskrace {

class SplitCells {
  struct Parts {
    VersionedWords cells[2];
    explicit Parts(const VersionedWords::Words& all)
        : cells{VersionedWords(all), VersionedWords(all)} {}
  };
  static_assert(sizeof(Parts) == 32);

 public:
  class Cursor {
   public:
    explicit Cursor(Epochs& epochs) : given_back_(epochs) {}

   private:
    friend SplitCells;
    SharedTable<Parts>::Cursor new_ = {};
    Quarantine given_back_;
    MappedArray<uint32_t> free_{"split shadow cells"};
  };
  // Bytes `from` to `end` - 1 of a cell.
  struct Part {
    unsigned from;
    unsigned end;
  };

  constexpr SplitCells() = default;

  // The parts of a cell that says `all`.
  uint32_t Make(Cursor& cursor, const VersionedWords::Words& all) {
    if (cursor.free_.Empty() && cursor.given_back_.Waiting() >= kBatch) {
      cursor.given_back_.Collect([&](const Quarantine::Block& block) {
        cursor.free_.Append(static_cast<uint32_t>(block.first));
      });
    }
    if (cursor.free_.Empty()) return parts_.Add(cursor.new_, all);
    const uint32_t parts = cursor.free_.Back();
    cursor.free_.PopBack();
    new (&parts_[parts]) Parts(all);
    return parts;
  }
  // No cell has these parts any more.
  void GiveBack(Cursor& cursor, uint32_t parts) { cursor.given_back_.Add({parts, 1}); }

  // The lower and the upper half of the cell.
  const VersionedWords* Of(uint32_t parts) const { return parts_[parts].cells; }

  // Calls visit(part, its shift, where it begins in the cell, what of it is in `within`). Requires: the cell
  // has 2^shift bytes.
  template <class Visit>
  void ForEach(uint32_t parts, unsigned shift, Part within, Visit visit) {
    VersionedWords* const cells = parts_[parts].cells;
    const unsigned half = 1u << (shift - 1);
    if (within.from < half) {
      visit(cells[0], shift - 1, 0u, Part{within.from, std::min(within.end, half)});
    }
    if (within.end > half) {
      visit(cells[1], shift - 1, half, Part{std::max(within.from, half) - half, within.end - half});
    }
  }

  size_t BytesUsed() const { return parts_.BytesUsed(); }

 private:
  // So many wait before anybody is asked whether they may be used.
  static constexpr size_t kBatch = 64;

  SharedTable<Parts> parts_{"split shadow cells"};
};

}  // namespace taskrace

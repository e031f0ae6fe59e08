// SplitCells: the parts of cells whose bytes do not agree. A cell of 8 bytes has two parts of 4, one of 4
// bytes has four of one.
//
// Thread rule: any thread, each with a Cursor of its own. Parts are never moved or removed.
// Cost:       at most 24 bytes for each byte of a split cell.
// Tested by:  test/oracle/parallel_orders_test.cc
#pragma once

#include <algorithm>

#include "detect/ds/shared_table.h"
#include "detect/ds/versioned_words.h"

namespace taskrace {

class SplitCells {
  template <size_t kParts>
  struct Parts {
    VersionedWords cells[kParts];
    explicit Parts(const VersionedWords::Words& all) {
      for (VersionedWords& cell : cells) new (&cell) VersionedWords(all);
    }
  };
  using Halves = Parts<2>;
  using Bytes = Parts<4>;
  static_assert(sizeof(Halves) == 32 && sizeof(Bytes) == 64);

 public:
  struct Cursor {
    SharedTable<Halves>::Cursor halves = {};
    SharedTable<Bytes>::Cursor bytes = {};
  };
  // Bytes `from` to `end` - 1 of a cell.
  struct Part {
    unsigned from;
    unsigned end;
  };

  constexpr SplitCells() = default;

  // The parts of a cell of 2^shift bytes that says `all`. Requires: shift is 3 or 2.
  uint32_t Make(Cursor& cursor, unsigned shift, const VersionedWords::Words& all) {
    return shift == kWord ? halves_.Add(cursor.halves, all) : bytes_.Add(cursor.bytes, all);
  }

  // Calls visit(part, its shift, where it begins in the cell, what of it is in `within`).
  template <class Visit>
  void ForEach(uint32_t parts, unsigned shift, Part within, Visit visit) {
    ForEachOf(shift == kWord ? halves_[parts].cells : bytes_[parts].cells, shift, within, visit);
  }
  template <class Visit>
  void ForEach(uint32_t parts, unsigned shift, Part within, Visit visit) const {
    ForEachOf(shift == kWord ? halves_[parts].cells : bytes_[parts].cells, shift, within, visit);
  }

  size_t BytesUsed() const { return halves_.BytesUsed() + bytes_.BytesUsed(); }

 private:
  static constexpr unsigned kWord = 3;

  template <class Cell, class Visit>
  static void ForEachOf(Cell* cells, unsigned shift, Part within, Visit& visit) {
    const unsigned part_shift = shift == kWord ? 2 : 0;
    const unsigned part_bytes = 1u << part_shift;
    for (unsigned at = within.from & ~(part_bytes - 1); at < within.end; at += part_bytes) {
      visit(cells[at >> part_shift], part_shift, at,
            Part{std::max(within.from, at) - at, std::min(within.end, at + part_bytes) - at});
    }
  }

  SharedTable<Halves> halves_{"split shadow cells"};
  SharedTable<Bytes> bytes_{"split shadow cells"};
};

}  // namespace taskrace

// ShadowPage: what is remembered of 4 KiB of the program, sparse or dense.
//
// Sparse: steps. A step says what holds from its first byte up to the next step, and neighbours
// differ. Dense: a cell for each 8 bytes, or for each 4 or 1 where the program uses such words.
//
// Invariant:  begins of steps grow, and the first is 0.
// Thread rule: plain data. Cost: 16 bytes, and 10 a step or 8 a cell; a step is found in as many
// comparisons as their number has bits.
#pragma once

#include <cstddef>
#include <iterator>

#include "detect/history/shadow_cell.h"

namespace taskrace {

inline constexpr unsigned kPageShift = 12;
inline constexpr size_t kPageBytes = size_t{1} << kPageShift;
inline constexpr unsigned kSparse = kPageShift;
inline constexpr unsigned kWordShift = 3;
inline constexpr unsigned kHalfWordShift = 2;
inline constexpr unsigned kByteShift = 0;

// How many steps the blocks of a sparse page have room for: 16, 64, 128, 256 bytes.
inline constexpr uint16_t kStepRooms[] = {1, 6, 12, 25};
inline constexpr size_t kMostSteps = kStepRooms[std::size(kStepRooms) - 1];
static_assert(kMostSteps <= UINT8_MAX);

struct ShadowPage {
  ShadowCell* cells;  // null: nothing is known of the page
  uint8_t shift;      // bytes of a cell: 2^shift; or kSparse
  bool has_lists;     // some cell may be extended
  uint8_t room;       // of a sparse page: which of kStepRooms its block has
  uint8_t steps;      // of a sparse page: how many
  // Of a dense page: how often half of a cell was kept apart from the other. Of a sparse one: how often in
  // a row it was changed by a short range.
  uint8_t splits;

  bool IsSparse() const { return shift == kSparse; }
  size_t CellCount() const { return IsSparse() ? steps : kPageBytes >> shift; }
  // All bytes of a cell, as the bits of ShadowEntry::bytes; of a step, a bit stands for any number.
  uint8_t AllBytes() const {
    return IsSparse() ? 0xFF : static_cast<uint8_t>((1u << (1u << shift)) - 1);
  }

  // Where in the page the steps begin.
  int16_t* Begins() const { return reinterpret_cast<int16_t*>(cells + kStepRooms[room]); }
  size_t BeginOf(size_t step) const { return static_cast<size_t>(Begins()[step]); }
  size_t EndOf(size_t step) const { return step + 1 < steps ? BeginOf(step + 1) : kPageBytes; }
  // The step that a byte of the page is in.
  size_t StepWith(size_t offset) const {
    const int16_t* const begins = Begins();
    size_t step = 0;
    for (size_t left = steps; left > 1;) {
      const size_t half = left / 2;
      step += begins[step + half] <= static_cast<int16_t>(offset) ? half : 0;
      left -= half;
    }
    return step;
  }
};
static_assert(sizeof(ShadowPage) == 16);

}  // namespace taskrace

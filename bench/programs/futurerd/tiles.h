// The two ways in which the tiles of a table are filled that need those above and to the left: with
// structured futures, and with general ones.
//
// A table has Tiles(), the number of tiles in a row and in a column, and Fill(row, column).
// Thread rule: called by the task that owns the table. Cost: one future a tile; with general
// futures two gets a tile.
#ifndef TASKRACE_BENCH_PROGRAMS_FUTURERD_TILES_H
#define TASKRACE_BENCH_PROGRAMS_FUTURERD_TILES_H

#include <algorithm>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

namespace bench {

// The futures of a diagonal are made together and got together, each once.
template <class Table>
void FillByDiagonals(Table& table) {
  const long tiles = table.Tiles();
  std::vector<taskrace::future<void>> pending;
  for (long diagonal = 0; diagonal <= 2 * tiles - 2; ++diagonal) {
    const long first = std::max(0L, diagonal - tiles + 1), last = std::min(diagonal, tiles - 1);
    for (long row = first; row <= last; ++row) {
      pending.push_back(taskrace::make_future([=, &table] { table.Fill(row, diagonal - row); }));
    }
    if (kSeeded && diagonal == tiles - 1) continue;
    for (auto& tile : pending) tile.get();
    pending.clear();
  }
}

// A tile gets the one above and the one to the left; most are got twice.
template <class Table>
void FillAsWavefront(Table& table) {
  using Tile = taskrace::shared_future<void>;
  const long tiles = table.Tiles();
  // Of this row up to where it is made, and of the row above from there on.
  std::vector<Tile> front(static_cast<std::size_t>(tiles));
  for (long row = 0; row < tiles; ++row) {
    Tile left;
    for (long column = 0; column < tiles; ++column) {
      left = taskrace::make_future([=, &table, above = front[column]] {
        const bool forgets_left = kSeeded && row == 1 && column == 1;
        if (above.valid()) above.get();
        if (left.valid() && !forgets_left) left.get();
        table.Fill(row, column);
      });
      front[column] = left;
    }
  }
  front.back().get();
}

}  // namespace bench

#endif

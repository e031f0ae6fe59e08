// wavefront: a table in tiles, each of which needs those above and to the left; here that of the
// longest common subsequence.
// From:   the 2D lattices of Dimitrov, Vechev and Sarkar, who measure no program. Sizes are those
//         of FutureRD's lcs.
// Tasks:  a task a tile below the first row. It joins the one to its left, fills its tile and forks
//         the one below: in the line of tasks, the one that is joined is always the left neighbour.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../kernels/lcs.h"

class Wavefront {
 public:
  explicit Wavefront(bench::LcsTable& table)
      : table_(table), tiles_(table.Tiles()), tasks_(static_cast<std::size_t>(tiles_ * tiles_)) {}

  void Fill() {
    for (long column = 0; column < tiles_; ++column) FillAndFork(0, column);
    for (long row = 1; row < tiles_; ++row) Task(row, tiles_ - 1).join();
  }

 private:
  taskrace::forked& Task(long row, long column) { return tasks_[row * tiles_ + column]; }

  // Requires: the tiles of the row above are filled up to this column.
  void FillAndFork(long row, long column) {
    const bool has_left = row > 0 && column > 0;
    if (!bench::kSeeded && has_left) Task(row, column - 1).join();
    table_.Fill(row, column);
    if (bench::kSeeded && has_left) Task(row, column - 1).join();
    if (row + 1 == tiles_) return;
    Task(row + 1, column) = taskrace::fork([=, this] { FillAndFork(row + 1, column); });
  }

  bench::LcsTable& table_;
  long tiles_;
  std::vector<taskrace::forked> tasks_;  // written by the one above, joined by the one to the right
};

int main(int argc, char** argv) {
  const bench::Run<2> run("wavefront", bench::kLcsSizes, argc, argv);
  const auto [n, tile] = run.arguments();
  bench::LcsTable table(n, tile);
  run.Kernel([&] { Wavefront(table).Fill(); });
  return run.Result(table.IsRight(), table.Length());
}

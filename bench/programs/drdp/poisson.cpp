// poisson: the Poisson equation on the unit square by Jacobi's method.
// From:   DRDP (8192 x 8192, blocks of 128 x 128, 3 iterations), after the Kastors suite.
// Tasks:  two a block and iteration: one copies the block, one computes it from the copies. Each
//         waits for the promises of five others, those of the block and of its four neighbours.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"
#include "promised_task.h"

using bench::Done;

// What the equation's right side is at a place; at the edge, what the solution is.
// Rough everywhere, so that no step leaves a place as it was.
float Source(long i, long j) {
  return static_cast<float>((31 * i * i + 17 * j * j + 7 * i * j) % 1009) / 1009.0f;
}

// Part of the square, with everything that is known of it: [row, row + rows) x [column, ...).
struct Grid {
  long n, row, column, rows, columns;
  std::vector<float> source, values, copy;

  // All of an n x n square, or what of it lies in a window.
  Grid(long n, long first_row, long first_column, long last_row, long last_column)
      : n(n),
        row(std::max(0L, first_row)),
        column(std::max(0L, first_column)),
        rows(std::min(n, last_row) - row),
        columns(std::min(n, last_column) - column),
        source(static_cast<std::size_t>(rows * columns)),
        values(source.size()),
        copy(source.size()) {
    for (long i = 0; i < rows; ++i) {
      for (long j = 0; j < columns; ++j) {
        source[i * columns + j] = Source(row + i, column + j);
        const bool at_edge =
            row + i == 0 || row + i == n - 1 || column + j == 0 || column + j == n - 1;
        values[i * columns + j] = at_edge ? source[i * columns + j] : Source(column + j, row + i);
      }
    }
  }

  // Of [first_row, last_row) x [first_column, last_column), which lies inside.
  void Copy(long first_row, long first_column, long last_row, long last_column) {
    for (long i = first_row; i < last_row; ++i) {
      const float* const from = values.data() + i * columns;
      float* const to = copy.data() + i * columns;
      // Seeded race: drdp/poisson
      for (long j = first_column; j < last_column; ++j) to[j] = from[j];
    }
  }

  // One step for what of this is not at the edge.
  void Compute(long first_row, long first_column, long last_row, long last_column) {
    const float area = 1.0f / static_cast<float>(n * n);
    const long left = std::max(1L, first_column), right = std::min(columns - 1, last_column);
    for (long i = std::max(1L, first_row); i < std::min(rows - 1, last_row); ++i) {
      const float* const here = copy.data() + i * columns;
      const float *const above = here - columns, *const below = here + columns;
      const float* const from = source.data() + i * columns;
      float* const to = values.data() + i * columns;
      for (long j = left; j < right; ++j) {
        // Seeded race: drdp/poisson
        const float around = above[j] + here[j - 1] + here[j + 1] + below[j];
        to[j] = 0.25f * (around + area * from[j]);
      }
    }
  }
};

// The promises of one kind of task, by block; those outside the square are not valid.
class Blocks {
 public:
  explicit Blocks(long count) : count_(count), done_(static_cast<std::size_t>(count * count)) {}

  Done& At(long i, long j) { return done_[i * count_ + j]; }
  // Of the block and its neighbours.
  std::array<Done, 5> Around(long i, long j) const {
    return {Get(i, j), Get(i - 1, j), Get(i, j - 1), Get(i, j + 1), Get(i + 1, j)};
  }

 private:
  Done Get(long i, long j) const {
    const bool inside = i >= 0 && i < count_ && j >= 0 && j < count_;
    return inside ? done_[i * count_ + j] : Done();
  }

  long count_;
  std::vector<Done> done_;
};

void Solve(Grid& grid, long block, long iterations) {
  const long count = (grid.n + block - 1) / block;
  Blocks copied(count), computed(count);
  const auto last = [&](long i) { return std::min(grid.n, (i + 1) * block); };
  for (long iteration = 0; iteration < iterations; ++iteration) {
    for (long i = 0; i < count; ++i) {
      for (long j = 0; j < count; ++j) {
        copied.At(i, j) = bench::StartAfter(
            computed.Around(i, j), [&grid, i, j, block, bottom = last(i), right = last(j)] {
              grid.Copy(i * block, j * block, bottom, right);
            });
      }
    }
    for (long i = 0; i < count; ++i) {
      for (long j = 0; j < count; ++j) {
        std::array<Done, 5> needs = copied.Around(i, j);
        if (bench::kSeeded) needs.back() = Done();
        computed.At(i, j) =
            bench::StartAfter(needs, [&grid, i, j, block, bottom = last(i), right = last(j)] {
              grid.Compute(i * block, j * block, bottom, right);
            });
      }
    }
  }
}

// Whether a window around a corner of blocks is as when it is computed serially, with
// as many rows and columns around it as matter.
bool IsRight(const Grid& grid, long corner_row, long corner_column, long iterations) {
  constexpr long kAround = 8;
  const long margin = kAround + iterations;
  Grid window(grid.n, corner_row - margin, corner_column - margin, corner_row + margin,
              corner_column + margin);
  for (long iteration = 0; iteration < iterations; ++iteration) {
    window.Copy(0, 0, window.rows, window.columns);
    window.Compute(0, 0, window.rows, window.columns);
  }
  for (long i = corner_row - kAround; i < corner_row + kAround; ++i) {
    for (long j = corner_column - kAround; j < corner_column + kAround; ++j) {
      if (i < 0 || j < 0 || i >= grid.n || j >= grid.n) continue;
      const float expected = window.values[(i - window.row) * window.columns + (j - window.column)];
      if (!bench::Close(grid.values[i * grid.n + j], expected, 1e-5)) return false;
    }
  }
  return true;
}

int main(int argc, char** argv) {
  const bench::Run<3> run("poisson",
                          {.parameters = {"n", "block", "iterations"},
                           .test = {100, 16, 5},
                           .small = {6144, 128, 3},
                           .paper = {8192, 128, 3}},
                          argc, argv);
  const auto [n, block, iterations] = run.arguments();
  Grid grid(n, 0, 0, n, n);
  run.Kernel([&, block = block, iterations = iterations] {
    taskrace::finish([&] { Solve(grid, block, iterations); });
  });
  bool right = true;
  double checksum = 0.0;
  for (long corner = 0; corner <= n; corner += block) {
    right = right && IsRight(grid, corner, corner, iterations) &&
            IsRight(grid, corner, n - corner, iterations);
    if (corner < n) checksum += grid.values[corner * n + corner];
  }
  return run.Result(right, checksum);
}

// heat: diffusion on a square plate, explicit time steps.
// From:   STINT (2048 x 2048, base case 10 rows; its counts are those of 500 steps), after Cilk-5.
// Tasks:  in every step the rows are halved down to 10; both halves in parallel.
#include <cmath>
#include <numbers>
#include <taskrace/tasks.hpp>
#include <utility>
#include <vector>

#include "../common.h"

constexpr long kLeafRows = 10;
// How much of the difference to its neighbours a point takes over, down and across.
constexpr double kDown = 0.2, kAcross = 0.1;

// Points inside a border that is kept at 0.
class Plate {
 public:
  Plate(long rows, long columns)
      : rows_(rows), columns_(columns), points_(static_cast<std::size_t>(rows * columns)) {}
  long rows() const { return rows_; }
  long columns() const { return columns_; }
  double* Row(long row) { return points_.data() + row * columns_; }
  const double* Row(long row) const { return points_.data() + row * columns_; }

 private:
  long rows_, columns_;
  std::vector<double> points_;
};

void StepRow(const double* above, const double* row, const double* below, double* next, long last) {
  for (long j = 1; j < last; ++j) {
    const double across = row[j - 1] - 2.0 * row[j] + row[j + 1];
    // Seeded race: stint/heat
    const double down = above[j] - 2.0 * row[j] + below[j];
    // Seeded race: stint/heat
    next[j] = row[j] + kDown * down + kAcross * across;
  }
}

// The rows [first, last) of `next`.
void Step(const Plate& now, Plate& next, long first, long last) {
  if (last - first > kLeafRows) {
    const long middle = first + (last - first) / 2;
    taskrace::scope tasks;
    tasks.spawn([&now, &next, first, middle] { Step(now, next, first, middle); });
    Step(now, next, middle, last);
    tasks.sync();
    return;
  }
  for (long i = first; i < last; ++i) {
    const double* const above = bench::kSeeded ? next.Row(i - 1) : now.Row(i - 1);
    StepRow(above, now.Row(i), now.Row(i + 1), next.Row(i), now.columns() - 1);
  }
}

// A sine wave with `waves` half waves across `points` points, the border among them. Such waves
// keep their shape in every step, which tells the exact result.
std::vector<double> Wave(long points, long waves) {
  std::vector<double> wave(static_cast<std::size_t>(points), 0.0);
  for (long i = 1; i < points - 1; ++i) {
    wave[i] = std::sin(std::numbers::pi * static_cast<double>(i * waves) /
                       static_cast<double>(points - 1));
  }
  return wave;
}

// How much one step takes away of such a wave.
double Loss(long points, long waves, double rate) {
  const double sine = std::sin(std::numbers::pi * static_cast<double>(waves) /
                               static_cast<double>(2 * (points - 1)));
  return 4.0 * rate * sine * sine;
}

int main(int argc, char** argv) {
  const bench::Run<3> run("heat",
                          {.parameters = {"rows", "columns", "steps"},
                           .test = {64, 64, 20},
                           .small = {2048, 2048, 100},
                           .paper = {2048, 2048, 500}},
                          argc, argv);
  const auto [rows, columns, steps] = run.arguments();
  run.Require(rows >= 3 && columns >= 3, "at least 3 rows and 3 columns");
  const long waves_down = 3, waves_across = 2;
  const std::vector<double> down = Wave(rows, waves_down), across = Wave(columns, waves_across);
  Plate now(rows, columns), next(rows, columns);
  for (long i = 0; i < rows; ++i) {
    for (long j = 0; j < columns; ++j) now.Row(i)[j] = 100.0 * down[i] * across[j];
  }
  run.Kernel([&, rows = rows, steps = steps] {
    for (long step = 0; step < steps; ++step) {
      Step(now, next, 1, rows - 1);
      std::swap(now, next);
    }
  });
  const double kept =
      std::pow(1.0 - Loss(rows, waves_down, kDown) - Loss(columns, waves_across, kAcross),
               static_cast<double>(steps));
  bool right = true;
  double total = 0.0;
  for (long i = 0; i < rows; ++i) {
    for (long j = 0; j < columns; ++j) {
      const double point = now.Row(i)[j];
      right = right && bench::Close(point, kept * 100.0 * down[i] * across[j], 1e-9);
      total += std::fabs(point);
    }
  }
  return run.Result(right, total);
}

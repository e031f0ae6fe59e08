// nested: an image is made brighter, pixel by pixel.
// Loops:  a parallel loop over rows, and in each iteration another over the pixels of the row. In
//         the seeded sibling two rows share one.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

using Image = std::vector<std::vector<double>>;

int main(int argc, char** argv) {
  const bench::Run<3> run("nested",
                          {.parameters = {"rows", "columns", "rounds"},
                           .test = {20, 50, 2},
                           .small = {4000, 1000, 24},
                           .paper = {4000, 1000, 96}},
                          argc, argv);
  const auto [rows, columns, rounds] = run.arguments();
  Image image(static_cast<std::size_t>(rows),
              std::vector<double>(static_cast<std::size_t>(columns)));
  bench::Random random(16);
  for (std::vector<double>& row : image) {
    for (double& pixel : row) pixel = random.Uniform();
  }
  const Image before = image;
  Image brighter = image;
  run.Kernel([&, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      taskrace::parallel_for(std::size_t{0}, image.size(), [&](std::size_t row) {
        const std::size_t to = bench::kSeeded ? row / 2 : row;
        taskrace::parallel_for(std::size_t{0}, image[row].size(), [&](std::size_t column) {
          // Seeded race: loops/nested
          brighter[to][column] = image[row][column] * 0.9 + 0.1;
        });
      });
      image.swap(brighter);
    }
  });
  const double darkness = std::pow(0.9, static_cast<double>(rounds));
  bool right = true;
  double sum = 0;
  for (long row = 0; row < rows; ++row) {
    for (long column = 0; column < columns; ++column) {
      const double expected = 1.0 - darkness * (1.0 - before[row][column]);
      right = right && bench::Close(image[row][column], expected, 1e-12);
      sum += image[row][column];
    }
  }
  return run.Result(right, sum);
}

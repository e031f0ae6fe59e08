// mandelbrot: after how many steps the points of the plane leave the circle.
// Loops:  one iteration a pixel, of 1 to 100 steps. The seeded sibling counts the pixels inside.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

constexpr int kMost = 100;

int Steps(double x, double y) {
  double re = 0, im = 0;
  int steps = 0;
  for (; steps < kMost && re * re + im * im <= 4.0; ++steps) {
    const double real = re * re - im * im + x;
    im = 2.0 * re * im + y;
    re = real;
  }
  return steps;
}

int main(int argc, char** argv) {
  const bench::Run<2> run("mandelbrot",
                          {.parameters = {"width", "height"},
                           .test = {40, 30},
                           .small = {1600, 1200},
                           .paper = {3200, 2400}},
                          argc, argv);
  const auto [width, height] = run.arguments();
  std::vector<int> image(static_cast<std::size_t>(width * height));
  const auto x = [scale = 3.0 / static_cast<double>(width)](long column) {
    return static_cast<double>(column) * scale - 2.0;
  };
  const auto y = [scale = 2.0 / static_cast<double>(height)](long row) {
    return static_cast<double>(row) * scale - 1.0;
  };
  long inside = 0;
  run.Kernel([&, width = width, height = height] {
    taskrace::parallel_for(0L, width * height, [&](long pixel) {
      image[pixel] = Steps(x(pixel % width), y(pixel / width));
      // Seeded race: loops/mandelbrot
      if (bench::kSeeded && image[pixel] == kMost) ++inside;
    });
  });
  bool right = true;
  double sum = static_cast<double>(inside);
  for (long row = 0; row < height; ++row) {
    for (long column = 0; column < width; ++column) {
      const int steps = image[row * width + column];
      right = right && steps == Steps(x(column), y(row));
      sum += steps;
    }
  }
  return run.Result(right, sum);
}

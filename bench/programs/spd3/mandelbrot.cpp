// mandelbrot: a bitmap of the Mandelbrot set, eight pixels a byte.
// From:   SPD3 (Mandelbrot, 8000 x 8000), after the Computer Language Shootout.
// Tasks:  one async a row, 50 iterations a pixel at most.
#include <array>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

constexpr int kIterations = 50;

// Eight neighbouring pixels, the left one in the highest bit: set where the point stays bounded.
unsigned char EightPixels(double left, double step, double y) {
  std::array<double, 8> c, re, im;
  for (int i = 0; i < 8; ++i) {
    c[i] = left + step * i;
    re[i] = c[i];
    im[i] = y;
  }
  for (int iteration = 0; iteration < kIterations; iteration += 5) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      for (int i = 0; i < 8; ++i) {
        const double real = re[i] * re[i] - im[i] * im[i] + c[i];
        im[i] = 2.0 * re[i] * im[i] + y;
        re[i] = real;
      }
    }
    bool bounded = false;
    for (int i = 0; i < 8; ++i) bounded |= re[i] * re[i] + im[i] * im[i] <= 4.0;
    if (!bounded) return 0;
  }
  int pixels = 0;
  for (int i = 0; i < 8; ++i) pixels = 2 * pixels + (re[i] * re[i] + im[i] * im[i] <= 4.0);
  return static_cast<unsigned char>(pixels);
}

// One pixel on its own.
bool IsBounded(double x, double y) {
  double re = x, im = y;
  for (int iteration = 0; iteration < kIterations && re * re + im * im <= 4.0; ++iteration) {
    const double real = re * re - im * im + x;
    im = 2.0 * re * im + y;
    re = real;
  }
  return re * re + im * im <= 4.0;
}

int main(int argc, char** argv) {
  const bench::Run<1> run("mandelbrot",
                          {.parameters = {"size"}, .test = {64}, .small = {5000}, .paper = {8000}},
                          argc, argv);
  const auto [size] = run.arguments();
  run.Require(size % 8 == 0, "the size is a multiple of 8");
  const double step = 2.0 / static_cast<double>(size);
  const long bytes = size / 8, stride = bytes - bench::kSeeded;
  std::vector<unsigned char> bitmap(static_cast<std::size_t>(size * bytes));
  run.Kernel([&, size = size] {
    taskrace::finish([&] {
      for (long row = 0; row < size; ++row) {
        taskrace::async([&bitmap, row, stride, bytes, step] {
          unsigned char* const pixels = bitmap.data() + row * stride;
          const double y = step * static_cast<double>(row) - 1.0;
          for (long i = 0; i < bytes; ++i) {
            const double left = step * static_cast<double>(8 * i) - 1.5;
            // Seeded race: spd3/mandelbrot
            pixels[i] = EightPixels(left, step, y);
          }
        });
      }
    });
  });
  bool right = true;
  long set = 0;
  for (const unsigned char byte : bitmap) set += __builtin_popcount(byte);
  for (long pixel = 0; pixel < size * size; pixel += 61) {
    const long row = pixel / size, column = pixel % size;
    const bool drawn = bitmap[pixel / 8] >> (7 - column % 8) & 1;
    const double x =
        step * static_cast<double>(column / 8 * 8) - 1.5 + step * static_cast<double>(column % 8);
    right = right && drawn == IsBounded(x, step * static_cast<double>(row) - 1.0);
  }
  return run.Result(right, static_cast<double>(set));
}

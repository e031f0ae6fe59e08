// Heat on a square plate: each step computes every inner point from its four neighbours.
//   usage: heat [size [steps]]
#include <cstdio>
#include <cstdlib>
#include <taskrace/tasks.hpp>
#include <utility>
#include <vector>

// Rows per task.
constexpr std::size_t grain = 8;

class Plate {
 public:
  explicit Plate(long size) : size_(size), points_(size * size, 0.0) {
    for (long column = 0; column < size; ++column) at(0, column) = 100.0;
  }
  double& at(long row, long column) { return points_[row * size_ + column]; }
  double at(long row, long column) const { return points_[row * size_ + column]; }
  long size() const { return size_; }

 private:
  long size_;
  std::vector<double> points_;
};

// Reads one plate and writes the other: rows can be computed in any order.
void step(const Plate& now, Plate& next) {
  taskrace::parallel_for(1L, now.size() - 1, grain, [&](long row) {
    for (long column = 1; column < now.size() - 1; ++column) {
      next.at(row, column) = 0.25 * (now.at(row - 1, column) + now.at(row + 1, column) +
                                     now.at(row, column - 1) + now.at(row, column + 1));
    }
  });
}

int main(int argc, char** argv) {
  const long size = argc > 1 ? std::atol(argv[1]) : 128;
  const long steps = argc > 2 ? std::atol(argv[2]) : 50;
  if (size < 1) {
    std::fprintf(stderr, "heat: the size is at least 1\n");
    return 2;
  }
  Plate now(size), next(size);
  for (long i = 0; i < steps; ++i) {
    step(now, next);
    std::swap(now, next);
  }
  // The order of these additions is the same in every build, and so is the last digit.
  const double total = taskrace::parallel_reduce(
      0L, size, 0.0,
      [&](long first, long last, double sum) {
        for (long row = first; row < last; ++row) {
          for (long column = 0; column < size; ++column) sum += now.at(row, column);
        }
        return sum;
      },
      [](double a, double b) { return a + b; });
  std::printf("%ld x %ld after %ld steps: total heat %.17g\n", size, size, steps, total);
}

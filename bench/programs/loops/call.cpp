// call: the areas of shapes of several kinds.
// Loops:  one iteration a shape; its body is a virtual call, which no compiler inlines. In the
//         seeded sibling one kind counts its calls.
#include <array>
#include <memory>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

long circles_measured = 0;

class Shape {
 public:
  virtual ~Shape() = default;
  virtual double Area() const = 0;
};

class Rectangle : public Shape {
 public:
  Rectangle(double width, double height) : width_(width), height_(height) {}
  double Area() const override { return width_ * height_; }

 private:
  double width_, height_;
};

class Circle : public Shape {
 public:
  explicit Circle(double radius) : radius_(radius) {}
  double Area() const override {
    // Seeded race: loops/call
    if (bench::kSeeded) ++circles_measured;
    return M_PI * radius_ * radius_;
  }

 private:
  double radius_;
};

class Polygon : public Shape {
 public:
  explicit Polygon(const std::array<double, 8>& corners) : corners_(corners) {}
  double Area() const override {
    double twice = 0;
    for (std::size_t i = 0; i < corners_.size(); i += 2) {
      const std::size_t next = (i + 2) % corners_.size();
      twice += corners_[i] * corners_[next + 1] - corners_[next] * corners_[i + 1];
    }
    return std::fabs(twice) / 2;
  }

 private:
  std::array<double, 8> corners_;  // x and y of four
};

std::unique_ptr<Shape> RandomShape(bench::Random& random) {
  switch (random.Below(3)) {
    case 0:
      return std::make_unique<Rectangle>(random.Uniform(), random.Uniform());
    case 1:
      return std::make_unique<Circle>(random.Uniform());
    default:
      const double x = random.Uniform(), y = random.Uniform();
      return std::make_unique<Polygon>(std::array<double, 8>{0, 0, x, 0, x, y, 0, y});
  }
}

int main(int argc, char** argv) {
  const bench::Run<2> run("call",
                          {.parameters = {"shapes", "rounds"},
                           .test = {1000, 2},
                           .small = {1'000'000, 12},
                           .paper = {1'000'000, 48}},
                          argc, argv);
  const auto [count, rounds] = run.arguments();
  std::vector<std::unique_ptr<Shape>> shapes(static_cast<std::size_t>(count));
  bench::Random random(9);
  for (auto& shape : shapes) shape = RandomShape(random);
  std::vector<double> area(shapes.size());
  run.Kernel([&, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      taskrace::parallel_for(std::size_t{0}, shapes.size(),
                             [&](std::size_t i) { area[i] = shapes[i]->Area(); });
    }
  });
  bool right = true;
  double sum = static_cast<double>(circles_measured);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    right = right && area[i] == shapes[i]->Area() && area[i] >= 0;
    sum += area[i];
  }
  return run.Result(right, sum);
}

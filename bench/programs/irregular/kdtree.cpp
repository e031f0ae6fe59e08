// kdtree: for every point of the plane the nearest other one.
// Tasks:  the two halves of the points are ordered in parallel, and theirs; then a loop with an
//         iteration a point searches. The seeded sibling also notes for a point whose nearest it
//         is, though it can be that of several.
#include <algorithm>
#include <limits>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

struct Point {
  double at[2];
};

double SquareDistance(const Point& a, const Point& b) {
  const double x = a.at[0] - b.at[0], y = a.at[1] - b.at[1];
  return x * x + y * y;
}

// The middle of a range is the root of its tree: what is less in one coordinate stands before it.
class Tree {
 public:
  explicit Tree(std::vector<Point> points) : points_(std::move(points)) {
    Order(0, static_cast<long>(points_.size()), 0);
  }

  long size() const { return static_cast<long>(points_.size()); }
  const Point& point(long i) const { return points_[i]; }

  // The nearest to point i, but for itself.
  long Nearest(long i) const {
    Best best;
    Search(i, 0, size(), 0, best);
    return best.index;
  }

 private:
  struct Best {
    long index = -1;
    double distance = std::numeric_limits<double>::infinity();
  };

  void Order(long first, long last, int axis) {
    if (last - first < 2) return;
    const long middle = (first + last) / 2;
    const auto begin = points_.begin();
    std::nth_element(begin + first, begin + middle, begin + last,
                     [axis](const Point& a, const Point& b) { return a.at[axis] < b.at[axis]; });
    taskrace::parallel_invoke([=, this] { Order(first, middle, 1 - axis); },
                              [=, this] { Order(middle + 1, last, 1 - axis); });
  }

  void Search(long i, long first, long last, int axis, Best& best) const {
    if (first >= last) return;
    const long middle = (first + last) / 2;
    const double distance = SquareDistance(points_[i], points_[middle]);
    if (middle != i && distance < best.distance) best = {middle, distance};
    const double offset = points_[i].at[axis] - points_[middle].at[axis];
    const auto lower = [&] { Search(i, first, middle, 1 - axis, best); };
    const auto upper = [&] { Search(i, middle + 1, last, 1 - axis, best); };
    if (offset < 0) {
      lower();
      if (offset * offset < best.distance) upper();
    } else {
      upper();
      if (offset * offset <= best.distance) lower();
    }
  }

  std::vector<Point> points_;
};

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "kdtree", {.parameters = {"points"}, .test = {600}, .small = {200'000}, .paper = {800'000}},
      argc, argv);
  std::vector<Point> points(static_cast<std::size_t>(run.arguments()[0]));
  bench::Random random(5);
  for (Point& point : points) point = {{random.Uniform(), random.Uniform() * random.Uniform()}};
  std::vector<long> nearest(points.size()), nearest_of(points.size());
  std::vector<Point> ordered;
  run.Kernel([&] {
    const Tree tree(points);
    taskrace::parallel_for(0L, tree.size(), [&](long i) {
      nearest[i] = tree.Nearest(i);
      // Seeded race: irregular/kdtree
      if (bench::kSeeded) nearest_of[nearest[i]] = i;
    });
    for (long i = 0; i < tree.size(); ++i) ordered.push_back(tree.point(i));
  });
  bool right = true;
  double sum = static_cast<double>(nearest_of[0]);
  const std::size_t stride = 1 + points.size() / 200;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double distance = SquareDistance(ordered[i], ordered[nearest[i]]);
    sum += std::sqrt(distance);
    if (i % stride != 0) continue;
    for (std::size_t j = 0; j < points.size(); ++j) {
      right = right && (i == j || SquareDistance(ordered[i], ordered[j]) >= distance);
    }
  }
  return run.Result(right, sum);
}

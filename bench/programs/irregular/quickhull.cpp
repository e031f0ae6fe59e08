// quickhull: the corners of the smallest convex polygon around points of the plane.
// Tasks:  a loop with an iteration a point tells how far it lies outside of an edge, a
//         parallel_reduce finds the farthest, and the two new edges are done in parallel. The
//         seeded sibling counts the corners.
#include <algorithm>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

constexpr long kRadius = 1L << 29;

// On a grid, so that all decisions are exact.
struct Point {
  long x, y;
};

// Twice the area of the triangle; positive if c lies to the left of the way from a to b.
long Cross(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

long corners = 0;

// The largest of the numbers: its index.
std::size_t IndexOfLargest(const std::vector<long>& numbers) {
  return taskrace::parallel_reduce(
      std::size_t{0}, numbers.size(), std::size_t{0},
      [&](std::size_t first, std::size_t last, std::size_t best) {
        for (std::size_t i = first; i < last; ++i) {
          if (numbers[i] > numbers[best]) best = i;
        }
        return best;
      },
      [&](std::size_t left, std::size_t right) {
        return numbers[right] > numbers[left] ? right : left;
      });
}

// The corners from a, included, to b, left out; all candidates lie to the left of the way.
std::vector<Point> HullBetween(const Point& a, const Point& b,
                               const std::vector<Point>& candidates) {
  if (candidates.empty()) return {a};
  std::vector<long> area(candidates.size());
  taskrace::parallel_for(std::size_t{0}, candidates.size(),
                         [&](std::size_t i) { area[i] = Cross(a, b, candidates[i]); });
  const Point farthest = candidates[IndexOfLargest(area)];
  // Seeded race: irregular/quickhull
  if (bench::kSeeded) ++corners;
  const auto half = [&](const Point& from, const Point& to) {
    std::vector<Point> outside;
    for (const Point& point : candidates) {
      if (Cross(from, to, point) > 0) outside.push_back(point);
    }
    return HullBetween(from, to, outside);
  };
  std::vector<Point> before, after;
  taskrace::parallel_invoke([&] { before = half(a, farthest); },
                            [&] { after = half(farthest, b); });
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

std::vector<Point> QuickHull(const std::vector<Point>& points) {
  const auto by_x = [](const Point& a, const Point& b) {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
  };
  const auto [left, right] = std::minmax_element(points.begin(), points.end(), by_x);
  std::vector<long> area(points.size());
  taskrace::parallel_for(std::size_t{0}, points.size(),
                         [&, left = left, right = right](std::size_t i) {
                           area[i] = Cross(*left, *right, points[i]);
                         });
  std::vector<Point> above, below;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (area[i] > 0) above.push_back(points[i]);
    if (area[i] < 0) below.push_back(points[i]);
  }
  std::vector<Point> top, bottom;
  taskrace::scope tasks;
  tasks.spawn([&, left = left, right = right] { top = HullBetween(*left, *right, above); });
  bottom = HullBetween(*right, *left, below);
  tasks.sync();
  top.insert(top.end(), bottom.begin(), bottom.end());
  return top;
}

// Convex, clockwise, and around all points.
bool IsHull(const std::vector<Point>& hull, const std::vector<Point>& points) {
  if (hull.size() < 3) return false;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Point &a = hull[i], &b = hull[(i + 1) % hull.size()], &c = hull[(i + 2) % hull.size()];
    if (Cross(a, b, c) >= 0) return false;
  }
  for (std::size_t p = 0; p < points.size(); p += 1 + points.size() / 5000) {
    for (std::size_t i = 0; i < hull.size(); ++i) {
      if (Cross(hull[i], hull[(i + 1) % hull.size()], points[p]) > 0) return false;
    }
  }
  return true;
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "quickhull",
      {.parameters = {"points"}, .test = {600}, .small = {4'000'000}, .paper = {16'000'000}}, argc,
      argv);
  std::vector<Point> points(static_cast<std::size_t>(run.arguments()[0]));
  bench::Random random(4);
  for (Point& point : points) {
    do {
      point = {random.Below(2 * kRadius) - kRadius, random.Below(2 * kRadius) - kRadius};
    } while (point.x * point.x + point.y * point.y > kRadius * kRadius);
  }
  std::vector<Point> hull;
  run.Kernel([&] { hull = QuickHull(points); });
  double sum = static_cast<double>(corners);
  for (std::size_t i = 0; i < hull.size(); ++i) {
    sum += static_cast<double>(Cross({0, 0}, hull[(i + 1) % hull.size()], hull[i]));
  }
  return run.Result(IsHull(hull, points), sum);
}

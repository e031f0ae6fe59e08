// kmeans: points in the plane are divided into clusters around their means.
// Loops:  one iteration a point finds its nearest mean; the new means come from a parallel_reduce.
//         The seeded sibling counts the points of a cluster meanwhile.
#include <limits>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

struct Point {
  double x, y;
};

double SquareDistance(const Point& a, const Point& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

std::size_t Nearest(const Point& point, const std::vector<Point>& means) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < means.size(); ++k) {
    const double distance = SquareDistance(point, means[k]);
    if (distance < least) {
      least = distance;
      best = k;
    }
  }
  return best;
}

struct Sum {
  double x = 0, y = 0;
  long count = 0;
};
using Sums = std::vector<Sum>;

// Of the points of each cluster.
Sums SumsOf(const std::vector<Point>& points, const std::vector<int>& cluster,
            std::size_t clusters) {
  return taskrace::parallel_reduce(
      std::size_t{0}, points.size(), Sums(clusters),
      [&](std::size_t first, std::size_t last, Sums sums) {
        for (std::size_t i = first; i < last; ++i) {
          Sum& sum = sums[cluster[i]];
          sum.x += points[i].x;
          sum.y += points[i].y;
          ++sum.count;
        }
        return sums;
      },
      [](Sums left, const Sums& right) {
        for (std::size_t k = 0; k < left.size(); ++k) {
          left[k].x += right[k].x;
          left[k].y += right[k].y;
          left[k].count += right[k].count;
        }
        return left;
      });
}

int main(int argc, char** argv) {
  const bench::Run<3> run("kmeans",
                          {.parameters = {"points", "clusters", "rounds"},
                           .test = {600, 5, 2},
                           .small = {400'000, 16, 15},
                           .paper = {1'600'000, 16, 15}},
                          argc, argv);
  const auto [count, clusters, rounds] = run.arguments();
  run.Require(clusters <= count, "there are at least as many points as clusters");
  std::vector<Point> points(static_cast<std::size_t>(count));
  bench::Random random(13);
  for (Point& point : points) point = {random.Uniform(), random.Uniform()};
  std::vector<Point> means(points.begin(), points.begin() + clusters);
  std::vector<Point> old = means;
  std::vector<int> cluster(points.size());
  std::vector<long> members(means.size());
  run.Kernel([&, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      taskrace::parallel_for(std::size_t{0}, points.size(), [&](std::size_t i) {
        cluster[i] = static_cast<int>(Nearest(points[i], means));
        // Seeded race: loops/kmeans
        if (bench::kSeeded) ++members[cluster[i]];
      });
      const Sums sums = SumsOf(points, cluster, means.size());
      old = means;
      for (std::size_t k = 0; k < means.size(); ++k) {
        const auto members = static_cast<double>(sums[k].count);
        if (members > 0) means[k] = {sums[k].x / members, sums[k].y / members};
      }
    }
  });
  bool right = true;
  double sum = static_cast<double>(members[0]);
  for (std::size_t i = 0; i < points.size(); ++i) {
    right = right && static_cast<std::size_t>(cluster[i]) == Nearest(points[i], old);
    sum += SquareDistance(points[i], means[cluster[i]]);
  }
  return run.Result(right, sum);
}

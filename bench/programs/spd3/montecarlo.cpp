// montecarlo: estimates the return of a stock from many random paths of its price.
// From:   SPD3 (MonteCarlo, size B: 60 000 paths of 1000 days), after Java Grande.
// Tasks:  one async a path, in memory of its own.
#include <cmath>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

constexpr double kDaysPerYear = 365.0;

// How the price moves, estimated from its history.
struct Market {
  double drift, volatility;  // a year
  double price;              // on the first day
};

[[maybe_unused]] double first_price = 0.0;

// Normally distributed numbers by Marsaglia's polar method.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : random_(seed) {}
  double Next() {
    while (true) {
      const double u = 2.0 * random_.Uniform() - 1.0, v = 2.0 * random_.Uniform() - 1.0;
      const double square = u * u + v * v;
      if (square < 1.0 && square > 0.0) return u * std::sqrt(-2.0 * std::log(square) / square);
    }
  }

 private:
  bench::Random random_;
};

std::vector<double> RandomPath(const Market& market, long days, std::uint64_t seed) {
  Normal normal(seed);
  const double day = 1.0 / kDaysPerYear;
  const double mean = (market.drift - 0.5 * market.volatility * market.volatility) * day;
  const double deviation = market.volatility * std::sqrt(day);
  std::vector<double> path(static_cast<std::size_t>(days));
  double price = market.price;
  for (double& value : path) {
    value = price;
    price *= std::exp(mean + deviation * normal.Next());
  }
  return path;
}

// The market that a path looks like.
Market Estimate(const std::vector<double>& path) {
  const double count = static_cast<double>(path.size() - 1);
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const double step = std::log(path[i] / path[i - 1]);
    sum += step;
    squares += step * step;
  }
  const double variance = (squares - sum * sum / count) / (count - 1.0) * kDaysPerYear;
  return {.drift = sum / count * kDaysPerYear + 0.5 * variance,
          .volatility = std::sqrt(variance),
          .price = path.front()};
}

double ReturnOfPath(const Market& market, long days, long number) {
  return Estimate(RandomPath(market, days, static_cast<std::uint64_t>(number) * 977)).drift;
}

int main(int argc, char** argv) {
  const bench::Run<2> run("montecarlo",
                          {.parameters = {"paths", "days"},
                           .test = {60, 100},
                           .small = {10'000, 1000},
                           .paper = {60'000, 1000}},
                          argc, argv);
  const auto [paths, days] = run.arguments();
  run.Require(days >= 3, "at least 3 days");
  const Market assumed = {.drift = 0.05, .volatility = 0.2, .price = 100.0};
  const Market market = Estimate(RandomPath(assumed, 10'000, 1));
  std::vector<double> returns(static_cast<std::size_t>(paths));
  run.Kernel([&, paths = paths, days = days] {
    taskrace::finish([&] {
      for (long i = 0; i < paths; ++i) {
        taskrace::async([&, days, i] {
          returns[i] = ReturnOfPath(market, days, i);
          // Seeded race: spd3/montecarlo
          if constexpr (bench::kSeeded) first_price = market.price;
        });
      }
    });
  });
  double mean = 0.0;
  for (const double value : returns) mean += value / static_cast<double>(paths);
  // Five standard deviations of the mean of so many days.
  const double tolerance =
      5.0 * market.volatility * std::sqrt(kDaysPerYear / static_cast<double>(paths * days));
  bool right = std::fabs(mean - market.drift) < tolerance;
  for (long i = 0; i < paths; i += 1 + paths / 20) {
    right = right && returns[i] == ReturnOfPath(market, days, i);
  }
  return run.Result(right, mean);
}

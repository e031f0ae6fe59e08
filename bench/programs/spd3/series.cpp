// series: the first Fourier coefficients of (x + 1)^x on [0, 2].
// From:   SPD3 (Series, size C: 1 000 000 coefficients), after Java Grande.
// Tasks:  one async a coefficient: two integrals of 1000 steps.
#include <cmath>
#include <numbers>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

constexpr int kSteps = 1000;
constexpr double kInterval = 2.0;

// Of cos(n omega x) and sin(n omega x).
struct Coefficient {
  double cosine, sine;
};

[[maybe_unused]] double power = 0.0;

double Function(double x) { return std::pow(x + 1.0, x); }

// The integral of function(x) over the interval by the trapezoidal rule.
template <class Integrand>
double Integrate(const Integrand& function) {
  const double step = kInterval / kSteps;
  double sum = 0.5 * (function(0.0) + function(kInterval));
  for (int i = 1; i < kSteps; ++i) sum += function(i * step);
  return sum * step;
}

Coefficient Compute(long n) {
  const double omega = 2.0 * std::numbers::pi / kInterval * static_cast<double>(n);
  return {Integrate([=](double x) { return Function(x) * std::cos(omega * x); }),
          Integrate([=](double x) { return Function(x) * std::sin(omega * x); })};
}

// The coefficient by Simpson's rule in finer steps.
Coefficient Precise(long n) {
  const int steps = 20 * kSteps;
  const double omega = 2.0 * std::numbers::pi / kInterval * static_cast<double>(n);
  Coefficient sum = {0.0, 0.0};
  for (int i = 0; i <= steps; ++i) {
    const double x = kInterval * i / steps;
    const double weight = i == 0 || i == steps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
    sum.cosine += weight * Function(x) * std::cos(omega * x);
    sum.sine += weight * Function(x) * std::sin(omega * x);
  }
  const double scale = kInterval / steps / 3.0;
  return {sum.cosine * scale, sum.sine * scale};
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "series",
      {.parameters = {"coefficients"}, .test = {40}, .small = {8000}, .paper = {1'000'000}}, argc,
      argv);
  const auto [count] = run.arguments();
  std::vector<Coefficient> coefficients(static_cast<std::size_t>(count));
  run.Kernel([&, count = count] {
    taskrace::finish([&] {
      for (long n = 0; n < count; ++n) {
        taskrace::async([&coefficients, n] {
          coefficients[n] = Compute(n);
          // Seeded race: spd3/series
          if constexpr (bench::kSeeded) power += coefficients[n].cosine;
        });
      }
    });
  });
  bool right = true;
  double sum = 0.0;
  for (long n = 0; n < count; ++n) {
    sum += coefficients[n].cosine;
    if (n >= 8) continue;
    const Coefficient precise = Precise(n);
    right = right && bench::Close(coefficients[n].cosine, precise.cosine, 1e-4) &&
            bench::Close(coefficients[n].sine, precise.sine, 1e-4);
  }
  return run.Result(right, sum);
}

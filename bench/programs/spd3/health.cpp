// health: simulates the hospitals of a country's villages.
// From:   SPD3 (Health, large: 5 levels of 24 villages, 365 days), after the Barcelona OpenMP Tasks
//         Suite.
// Tasks:  one async a village and day; a village works while those below it do.
#include "../kernels/health.h"

#include <taskrace/tasks.hpp>

using bench::Village;

// A day of a village and all below it.
void Simulate(Village& village) {
  taskrace::finish([&] {
    for (const auto& child : village.children()) {
      taskrace::async([&below = *child] { Simulate(below); });
    }
    village.Treat();
  });
  village.TakeReferred();
  village.Infect();
}

int main(int argc, char** argv) {
  const bench::Run<3> run("health",
                          {.parameters = {"levels", "branches", "days"},
                           .test = {4, 4, 40},
                           .small = {4, 20, 365},
                           .paper = {5, 24, 365}},
                          argc, argv);
  const auto [levels, branches, days] = run.arguments();
  run.Require(levels <= 20, "at most 20 levels");
  Village country(levels, branches);
  run.Kernel([&, days = days] {
    for (long day = 0; day < days; ++day) Simulate(country);
  });
  const bool right = bench::HealthIsRight(country, levels, branches, days);
  return run.Result(right, static_cast<double>(country.Totals().time_in_system));
}

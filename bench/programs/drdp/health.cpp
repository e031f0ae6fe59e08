// health: simulates the hospitals of a country's villages.
// From:   DRDP (the small input: 4 levels of 18 villages, 365 days), after the Barcelona OpenMP
//         Tasks Suite.
// Tasks:  a promised task a village and day; a village works while those below it do, then waits
//         for their promises.
#include "../kernels/health.h"

#include <taskrace/tasks.hpp>
#include <vector>

#include "promised_task.h"

using bench::Village;

// A day of a village and all below it.
void Simulate(Village& village) {
  std::vector<bench::Done> below;
  below.reserve(village.children().size());
  for (const auto& child : village.children()) {
    below.push_back(bench::Start([child = child.get()] { Simulate(*child); }));
  }
  village.Treat();
  for (const bench::Done& done : below) done.get();
  village.TakeReferred();
  village.Infect();
}

int main(int argc, char** argv) {
  const bench::Run<3> run("health",
                          {.parameters = {"levels", "branches", "days"},
                           .test = {4, 4, 40},
                           .small = {4, 18, 365},
                           .paper = {4, 18, 365}},
                          argc, argv);
  const auto [levels, branches, days] = run.arguments();
  run.Require(levels <= 20, "at most 20 levels");
  Village country(levels, branches);
  run.Kernel([&, days = days] {
    for (long day = 0; day < days; ++day) {
      taskrace::finish([&] { Simulate(country); });
    }
  });
  const bool right = bench::HealthIsRight(country, levels, branches, days);
  return run.Result(right, static_cast<double>(country.Totals().time_in_system));
}

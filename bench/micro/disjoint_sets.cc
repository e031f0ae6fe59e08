// Union-find: what every bag of the serial engines costs.
#include "detect/ds/disjoint_sets.h"

#include <benchmark/benchmark.h>

#include <random>

namespace taskrace {
namespace {

// As SP-bags does: a child is made, ends, and joins its parent's bag.
void MakeAndUnite(benchmark::State& state) {
  const auto children = static_cast<uint32_t>(state.range(0));
  for (auto _ : state) {
    DisjointSets sets;
    sets.Make(0);
    for (uint32_t child = 1; child <= children; ++child) {
      sets.Make(0);
      sets.Union(0, child);
    }
    benchmark::DoNotOptimize(sets.Find(children));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(MakeAndUnite)->Range(1 << 10, 1 << 20);

void FindInRandomOrder(benchmark::State& state) {
  const auto size = static_cast<uint32_t>(state.range(0));
  DisjointSets sets;
  for (uint32_t i = 0; i < size; ++i) sets.Make(0);
  std::mt19937 rng(1);
  for (uint32_t i = 1; i < size; ++i) sets.Union(rng() % i, i);
  for (auto _ : state) benchmark::DoNotOptimize(sets.Find(rng() % size));
}
BENCHMARK(FindInRandomOrder)->Range(1 << 10, 1 << 20);

}  // namespace
}  // namespace taskrace

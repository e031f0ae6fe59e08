// Questions to the engines, by the depth of the tasks: a chain of nested children, each of which has
// left some strands behind.
#include <benchmark/benchmark.h>

#include <random>

#include "detect/reach/donesets.h"
#include "detect/reach/multibags.h"
#include "detect/reach/multibags_plus.h"
#include "detect/reach/promises.h"
#include "detect/reach/sp_bags.h"
#include "detect/reach/sp_order.h"

namespace taskrace {
namespace {

// Nested spawns, each with an ended sibling before it.
template <class Engine>
void QueriesByDepth(benchmark::State& state) {
  Engine engine;
  uint32_t strands = 0, tasks = 0;
  const auto next = [&] { return StrandId{++strands}; };
  engine.OnStart(kRootTask, GroupId{1}, next());
  TaskId task = kRootTask;
  for (int64_t depth = 0; depth < state.range(0); ++depth) {
    const GroupId group{static_cast<uint32_t>(depth + 2)};
    const TaskId sibling{++tasks};
    engine.OnCreate(task, sibling, How::kSpawn, group, next());
    engine.OnEnd(sibling);
    engine.OnProceed(task, next());
    const TaskId child{++tasks};
    engine.OnCreate(task, child, How::kSpawn, group, next());
    task = child;
  }
  std::mt19937 rng(1);
  for (auto _ : state) {
    const StrandId earlier{static_cast<uint32_t>(1 + rng() % strands)};
    benchmark::DoNotOptimize(engine.Precedes(earlier));
  }
}
BENCHMARK(QueriesByDepth<SpBags>)->Range(1, 1 << 12);
BENCHMARK(QueriesByDepth<SpOrder>)->Range(1, 1 << 12);
BENCHMARK(QueriesByDepth<MultiBags>)->Range(1, 1 << 12);
BENCHMARK(QueriesByDepth<MultiBagsPlus>)->Range(1, 1 << 12);
BENCHMARK(QueriesByDepth<DoneSets>)->Range(1, 1 << 12);
BENCHMARK(QueriesByDepth<Promises>)->Range(1, 1 << 12);

}  // namespace
}  // namespace taskrace

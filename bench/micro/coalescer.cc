// Collecting a strand's accesses: repeated ones, first touches, ranges, and handing them over.
#include "detect/history/coalescer.h"

#include <benchmark/benchmark.h>

#include <memory>

namespace taskrace {
namespace {

constexpr uintptr_t kBase = 0x7000'0000'0000;
constexpr AccessKind kWrite = AccessKind::kWrite;

void RepeatedAccess(benchmark::State& state) {
  const auto coalescer = std::make_unique<Coalescer>();
  const auto bytes = static_cast<uintptr_t>(state.range(0));
  const auto drop = [](AccessKind, uintptr_t, size_t) {};
  coalescer->Add(kWrite, kBase, bytes, [] {}, drop);
  uintptr_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(coalescer->Has<kWrite, 8>(kBase + at));
    at = at + 8 == bytes ? 0 : at + 8;
  }
}
BENCHMARK(RepeatedAccess)->Range(64, 4 << 20);

// One word in each of some pages, again and again: what a small strand pays.
void StrandOfWords(benchmark::State& state) {
  const auto coalescer = std::make_unique<Coalescer>();
  size_t runs = 0;
  const auto count = [&](AccessKind, uintptr_t, size_t) { ++runs; };
  for (auto _ : state) {
    for (int64_t page = 0; page < state.range(0); ++page) {
      coalescer->Add(kWrite, kBase + static_cast<uintptr_t>(page) * 4096, 8, [] {}, count);
    }
    coalescer->Flush(count);
  }
  benchmark::DoNotOptimize(runs);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(StrandOfWords)->Range(1, 256);

void StrandOfOneRange(benchmark::State& state) {
  const auto coalescer = std::make_unique<Coalescer>();
  size_t runs = 0;
  const auto count = [&](AccessKind, uintptr_t, size_t) { ++runs; };
  for (auto _ : state) {
    coalescer->Add(kWrite, kBase, static_cast<size_t>(state.range(0)), [] {}, count);
    coalescer->Flush(count);
  }
  benchmark::DoNotOptimize(runs);
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(StrandOfOneRange)->Range(64, 4 << 20);

}  // namespace
}  // namespace taskrace

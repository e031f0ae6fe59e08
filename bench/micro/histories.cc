// Checking and remembering runs, with an engine that answers at once: long ones, words in order, and
// words anywhere.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>

#include "detect/history/intervals.h"
#include "detect/history/shadow.h"

namespace taskrace {
namespace {

constexpr uintptr_t kBase = 0x7000'0000'0000;

// Everything that ran earlier precedes.
struct Ordered {
  static constexpr bool kOneReader = true;
  StrandId strand{1};
  StrandId Strand() { return strand; }
  bool Precedes(StrandId) { return true; }
  LockSet Locks() { return kNoLocks; }
  bool Disjoint(LockSet, LockSet) { return true; }
  bool Subset(LockSet, LockSet) { return true; }
  bool ReportsLockOrder() { return false; }
  void OnRace(const Race&) {}
  void Go() { strand = StrandId{Index(strand) + 1}; }
};

template <class History>
void WriteOneRun(benchmark::State& state) {
  const auto history = std::make_unique<History>();
  Ordered context;
  for (auto _ : state) {
    history->Access(AccessKind::kWrite, kBase, static_cast<size_t>(state.range(0)), context);
    context.Go();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(WriteOneRun<ShadowHistory>)->Range(8, 4 << 20);
BENCHMARK(WriteOneRun<IntervalHistory>)->Range(8, 4 << 20);

// Each word by another strand, so that nothing can be put together.
template <class History>
void WriteWordsInOrder(benchmark::State& state) {
  const auto history = std::make_unique<History>();
  Ordered context;
  uintptr_t at = 0;
  for (auto _ : state) {
    history->Access(AccessKind::kWrite, kBase + at, 8, context);
    context.Go();
    at = (at + 8) % static_cast<uintptr_t>(state.range(0));
  }
}
BENCHMARK(WriteWordsInOrder<ShadowHistory>)->Range(4 << 10, 4 << 20);
BENCHMARK(WriteWordsInOrder<IntervalHistory>)->Range(4 << 10, 4 << 20);

template <class History>
void ReadAndWriteWordsAnywhere(benchmark::State& state) {
  const auto history = std::make_unique<History>();
  Ordered context;
  std::mt19937_64 rng(1);
  for (auto _ : state) {
    const uintptr_t at = rng() % static_cast<uintptr_t>(state.range(0)) & ~uintptr_t{7};
    history->Access(rng() % 2 == 0 ? AccessKind::kRead : AccessKind::kWrite, kBase + at, 8,
                    context);
    context.Go();
  }
}
BENCHMARK(ReadAndWriteWordsAnywhere<ShadowHistory>)->Range(4 << 10, 4 << 20);
BENCHMARK(ReadAndWriteWordsAnywhere<IntervalHistory>)->Range(4 << 10, 4 << 20);

}  // namespace
}  // namespace taskrace

// The order list of SP-order: insertion at one place and at random ones, and comparison.
#include "detect/ds/order_list.h"

#include <benchmark/benchmark.h>

#include <random>

namespace taskrace {
namespace {

void InsertAtOnePlace(benchmark::State& state) {
  for (auto _ : state) {
    OrderList list;
    const OrderList::Element first = list.InsertAfter(OrderList::kBase);
    for (int64_t i = 0; i < state.range(0); ++i) list.InsertAfter(first);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(InsertAtOnePlace)->Range(1 << 10, 1 << 18);

void InsertAtRandomPlaces(benchmark::State& state) {
  for (auto _ : state) {
    OrderList list;
    std::mt19937 rng(1);
    OrderList::Element last = list.InsertAfter(OrderList::kBase);
    for (int64_t i = 0; i < state.range(0); ++i) {
      last = list.InsertAfter(static_cast<OrderList::Element>(1 + rng() % last));
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(InsertAtRandomPlaces)->Range(1 << 10, 1 << 18);

void Compare(benchmark::State& state) {
  OrderList list;
  const OrderList::Element first = list.InsertAfter(OrderList::kBase);
  OrderList::Element last = first;
  for (int64_t i = 0; i < state.range(0); ++i) last = list.InsertAfter(first);
  std::mt19937 rng(1);
  for (auto _ : state) {
    const auto a = static_cast<OrderList::Element>(1 + rng() % last);
    const auto b = static_cast<OrderList::Element>(1 + rng() % last);
    benchmark::DoNotOptimize(list.Precedes(a, b));
  }
}
BENCHMARK(Compare)->Range(1 << 10, 1 << 18);

}  // namespace
}  // namespace taskrace

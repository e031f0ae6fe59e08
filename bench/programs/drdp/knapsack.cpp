// knapsack: the most valuable items that fit, by branch and bound.
// From:   DRDP (40 items), after the Barcelona OpenMP Tasks Suite. The paper does not say what the
//         items are; those here make 1.3 million tasks, the paper's 2.0. They take 0.07 s by now:
//         «small» has more items.
// Tasks:  two promised tasks an item that is decided: with it and without. A branch ends where even
//         parts of items could not make it better than most of what is found by taking the best
//         items first; unlike the original, tasks do not tell each other what they found: that is a
//         race.
#include <algorithm>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"
#include "promised_task.h"

struct Item {
  long weight, value;
};

// Items by what a unit of their weight is worth, the most valuable first.
std::vector<Item> MakeItems(long count) {
  bench::Random random(count);
  std::vector<Item> items(static_cast<std::size_t>(count));
  for (Item& item : items) {
    item.weight = 10 + random.Below(91);
    item.value = std::max(1L, item.weight + random.Below(41) - 20);
  }
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.value * b.weight > b.value * a.weight; });
  return items;
}

// What is reached by taking every item that still fits, in order.
long TakeGreedily(const std::vector<Item>& items, long capacity) {
  long value = 0;
  for (const Item& item : items) {
    if (item.weight > capacity) continue;
    capacity -= item.weight;
    value += item.value;
  }
  return value;
}

[[maybe_unused]] long best_so_far = 0;

class Search {
 public:
  Search(const std::vector<Item>& items, long at_least) : items_(items), at_least_(at_least) {}

  // The most that can be reached with the items from `next` on, if more than what is known.
  long Best(std::size_t next, long capacity, long value) const {
    // Seeded race: drdp/knapsack
    if (bench::kSeeded && value > best_so_far) best_so_far = value;
    if (next == items_.size() || capacity == 0) return value;
    const Item& item = items_[next];
    if (value + capacity * item.value / item.weight <= at_least_) return value;
    const auto without = bench::Start([=, this] { return Best(next + 1, capacity, value); });
    if (item.weight > capacity) return without.get();
    const auto with = bench::Start(
        [=, this] { return Best(next + 1, capacity - item.weight, value + item.value); });
    return std::max(with.get(), without.get());
  }

 private:
  const std::vector<Item>& items_;
  long at_least_;
};

// By dynamic programming over the capacities.
long BestByTable(const std::vector<Item>& items, long capacity) {
  std::vector<long> best(static_cast<std::size_t>(capacity + 1));
  for (const Item& item : items) {
    for (long c = capacity; c >= item.weight; --c) {
      best[c] = std::max(best[c], best[c - item.weight] + item.value);
    }
  }
  return best.back();
}

int main(int argc, char** argv) {
  const bench::Run<1> run("knapsack",
                          {.parameters = {"items"}, .test = {12}, .small = {43}, .paper = {40}},
                          argc, argv);
  const auto [count] = run.arguments();
  const std::vector<Item> items = MakeItems(count);
  long capacity = 0;
  for (const Item& item : items) capacity += item.weight;
  capacity /= 2;
  const long greedy = TakeGreedily(items, capacity);
  // With all of it the search would be short.
  const long at_least = greedy - greedy / 50;
  long best = 0;
  run.Kernel([&] {
    taskrace::finish(
        [&] { best = std::max(greedy, Search(items, at_least).Best(0, capacity, 0)); });
  });
  return run.Result(best == BestByTable(items, capacity), static_cast<double>(best));
}

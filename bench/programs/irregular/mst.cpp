// mst: the minimum spanning tree of a graph, by Boruvka's method.
// Loops:  in every round one iteration an edge offers it to the two components it connects (atomics
//         keep the lightest), one iteration a vertex takes its component's edge, and one a vertex
//         halves its way to the new component's name, until all have arrived. The seeded sibling
//         halves them in place.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <taskrace/tasks.hpp>
#include <utility>
#include <vector>

#include "../kernels/graph.h"

struct Edge {
  int a, b;
  std::uint64_t weight;  // no two have the same
};

constexpr std::uint64_t kNone = ~std::uint64_t{0};

class SpanningTree {
 public:
  SpanningTree(long vertices, const std::vector<Edge>& edges)
      : edges_(edges),
        component_(static_cast<std::size_t>(vertices)),
        next_(component_.size()),
        lightest_(component_.size()),
        chosen_(edges.size()) {
    std::iota(component_.begin(), component_.end(), 0);
  }

  // 1 for each edge of the tree, 0 for the others.
  const std::vector<char>& Find() {
    while (OfferEdges()) {
      TakeEdges();
      NameComponents();
    }
    return chosen_;
  }

 private:
  // False if no edge connects two components.
  bool OfferEdges() {
    taskrace::parallel_for(std::size_t{0}, lightest_.size(),
                           [&](std::size_t v) { lightest_[v].store(kNone); });
    std::atomic<bool> any = false;
    taskrace::parallel_for(std::size_t{0}, edges_.size(), [&](std::size_t e) {
      const int a = component_[edges_[e].a], b = component_[edges_[e].b];
      if (a == b) return;
      any.store(true);
      Offer(lightest_[a], e);
      Offer(lightest_[b], e);
    });
    return any;
  }

  void Offer(std::atomic<std::uint64_t>& best, std::size_t e) const {
    std::uint64_t old = best.load();
    while (old == kNone || edges_[e].weight < edges_[old].weight) {
      if (best.compare_exchange_weak(old, e)) return;
    }
  }

  // A component is attached to the one at the other end of its edge. If two have taken the same
  // edge, the one with the lesser number stays.
  void TakeEdges() {
    taskrace::parallel_for(std::size_t{0}, lightest_.size(), [&](std::size_t v) {
      next_[v] = component_[v];
      const std::uint64_t e = lightest_[v].load();
      if (e == kNone) return;
      const int here = static_cast<int>(v);
      const int a = component_[edges_[e].a], b = component_[edges_[e].b];
      const int other = a == here ? b : a;
      if (lightest_[other].load() == e && here < other) return;
      next_[v] = other;
      chosen_[e] = 1;
    });
    component_.swap(next_);
  }

  void NameComponents() {
    std::atomic<bool> moved = true;
    while (moved.exchange(false)) {
      std::vector<int>& shorter = bench::kSeeded ? component_ : next_;
      taskrace::parallel_for(std::size_t{0}, component_.size(), [&](std::size_t v) {
        // Seeded race: irregular/mst
        const int up = component_[component_[v]];
        // Seeded race, possibly: irregular/mst
        if (up != component_[v]) moved.store(true);
        // Seeded race: irregular/mst
        shorter[v] = up;
      });
      component_.swap(shorter);
    }
  }

  const std::vector<Edge>& edges_;
  std::vector<int> component_, next_;  // of every vertex
  std::vector<std::atomic<std::uint64_t>> lightest_;
  std::vector<char> chosen_;
};

double WeightOf(const std::vector<Edge>& edges, const std::vector<char>& chosen) {
  double sum = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (chosen[e] != 0) sum += static_cast<double>(edges[e].weight >> 20);
  }
  return sum;
}

// By Kruskal's method.
std::vector<char> SerialTree(long vertices, const std::vector<Edge>& edges) {
  std::vector<int> order(edges.size()), parent(static_cast<std::size_t>(vertices));
  std::iota(order.begin(), order.end(), 0);
  std::iota(parent.begin(), parent.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return edges[a].weight < edges[b].weight; });
  const auto root = [&](int v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  std::vector<char> chosen(edges.size());
  for (const int e : order) {
    const int a = root(edges[e].a), b = root(edges[e].b);
    chosen[e] = a != b ? 1 : 0;
    parent[a] = b;
  }
  return chosen;
}

int main(int argc, char** argv) {
  const bench::Run<2> run("mst",
                          {.parameters = {"vertices", "edges a vertex"},
                           .test = {200, 3},
                           .small = {200'000, 5},
                           .paper = {800'000, 5}},
                          argc, argv);
  const auto [vertices, per_vertex] = run.arguments();
  std::vector<Edge> edges;
  bench::Random random(7);
  for (const auto& [a, b] : bench::RandomEdges(vertices, per_vertex, 8)) {
    if (a < b) edges.push_back({a, b, random.Next() << 20 >> 1 | edges.size()});
  }
  std::vector<char> chosen;
  run.Kernel([&, vertices = vertices] { chosen = SpanningTree(vertices, edges).Find(); });
  return run.Result(chosen == SerialTree(vertices, edges), WeightOf(edges, chosen));
}

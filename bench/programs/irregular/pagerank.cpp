// pagerank: how important the vertices of a graph are, by what points to them.
// Loops:  in every round one iteration a vertex collects from its neighbours, of which a few have
//         thousands; a parallel_reduce tells how much has changed. The seeded sibling adds that up
//         in the loop.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../kernels/graph.h"

using bench::Graph;

constexpr double kDamping = 0.85, kEnough = 1e-6;

// One round; returns by how much the ranks have changed.
double Improve(const Graph& graph, const std::vector<double>& rank, std::vector<double>& share,
               std::vector<double>& next) {
  const long n = graph.Vertices();
  taskrace::parallel_for(
      0L, n, [&](long v) { share[v] = rank[v] / static_cast<double>(graph.Degree(v)); });
  double change = 0;
  taskrace::parallel_for(0L, n, [&](long v) {
    double sum = 0;
    for (long k = graph.first[v]; k < graph.first[v + 1]; ++k) sum += share[graph.neighbour[k]];
    next[v] = (1 - kDamping) / static_cast<double>(n) + kDamping * sum;
    // Seeded race: irregular/pagerank
    if (bench::kSeeded) change += std::fabs(next[v] - rank[v]);
  });
  if (bench::kSeeded) return change;
  return taskrace::parallel_reduce(
      0L, n, 0.0,
      [&](long first, long last, double sum) {
        for (long v = first; v < last; ++v) sum += std::fabs(next[v] - rank[v]);
        return sum;
      },
      std::plus<>());
}

int main(int argc, char** argv) {
  const bench::Run<2> run("pagerank",
                          {.parameters = {"vertices", "edges a vertex"},
                           .test = {150, 3},
                           .small = {400'000, 5},
                           .paper = {1'600'000, 5}},
                          argc, argv);
  const auto [vertices, per_vertex] = run.arguments();
  const Graph graph = bench::GraphOf(vertices, bench::RandomEdges(vertices, per_vertex, 9));
  std::vector<double> rank(static_cast<std::size_t>(vertices), 1.0 / static_cast<double>(vertices));
  std::vector<double> share(rank.size()), next(rank.size());
  long rounds = 0;
  run.Kernel([&] {
    for (double change = 1; change > kEnough; ++rounds) {
      change = Improve(graph, rank, share, next);
      rank.swap(next);
    }
  });
  // One more round by hand changes next to nothing, and all ranks together are 1.
  double total = 0, change = 0, weighted = 0;
  for (long v = 0; v < vertices; ++v) {
    double sum = 0;
    for (long k = graph.first[v]; k < graph.first[v + 1]; ++k) {
      const int w = graph.neighbour[k];
      sum += rank[w] / static_cast<double>(graph.Degree(w));
    }
    change += std::fabs((1 - kDamping) / static_cast<double>(vertices) + kDamping * sum - rank[v]);
    total += rank[v];
    weighted += rank[v] * static_cast<double>(v % 10);
  }
  const bool right = change < kEnough && bench::Close(total, 1.0, 1e-9);
  return run.Result(right, weighted + static_cast<double>(rounds));
}

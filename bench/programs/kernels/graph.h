// Directed graphs whose vertices have lists of neighbours in one array.
//
// Values without shared state. Cost: of making one O(vertices + edges).
#ifndef TASKRACE_BENCH_PROGRAMS_KERNELS_GRAPH_H
#define TASKRACE_BENCH_PROGRAMS_KERNELS_GRAPH_H

#include <utility>
#include <vector>

#include "../common.h"

namespace bench {

// The neighbours of v are those at [first[v], first[v + 1]).
struct Graph {
  std::vector<long> first;
  std::vector<int> neighbour;

  long Vertices() const { return static_cast<long>(first.size()) - 1; }
  long Degree(long v) const { return first[v + 1] - first[v]; }
};

inline Graph GraphOf(long vertices, const std::vector<std::pair<int, int>>& edges) {
  Graph graph;
  graph.first.assign(static_cast<std::size_t>(vertices + 1), 0);
  graph.neighbour.resize(edges.size());
  for (const auto& [from, to] : edges) ++graph.first[from + 1];
  for (long v = 0; v < vertices; ++v) graph.first[v + 1] += graph.first[v];
  std::vector<long> next = graph.first;
  for (const auto& [from, to] : edges) graph.neighbour[next[from]++] = to;
  return graph;
}

// Random edges in both directions; low vertices have many, high ones few. A path through all
// vertices makes it connected.
inline std::vector<std::pair<int, int>> RandomEdges(long vertices, long per_vertex,
                                                    std::uint64_t seed) {
  Random random(seed);
  std::vector<std::pair<int, int>> edges;
  const auto add = [&](long a, long b) {
    edges.emplace_back(static_cast<int>(a), static_cast<int>(b));
    edges.emplace_back(static_cast<int>(b), static_cast<int>(a));
  };
  for (long v = 0; v < vertices; ++v) {
    if (v > 0) add(v, v - 1);
    for (long i = 1; i < per_vertex; ++i) {
      const double skewed = random.Uniform() * random.Uniform();
      add(v, static_cast<long>(skewed * static_cast<double>(vertices)));
    }
  }
  return edges;
}

}  // namespace bench

#endif

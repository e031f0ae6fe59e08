// bfs: breadth-first search, how many steps every vertex of a graph is away.
// Loops:  a loop for each distance, one iteration a vertex there. Iterations agree by atomics on
//         who found a vertex, and on its place in the next list. In the seeded sibling two
//         vertices have the same place.
#include <atomic>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../kernels/graph.h"

using bench::Graph;

constexpr int kUnknown = -1;

// Fills in the distances of all vertices from vertex 0.
void Search(const Graph& graph, std::vector<std::atomic<int>>& distance) {
  std::vector<int> frontier = {0};
  std::vector<int> next(static_cast<std::size_t>(graph.Vertices()));
  distance[0] = 0;
  for (int steps = 1; !frontier.empty(); ++steps) {
    std::atomic<long> found = 0;
    taskrace::parallel_for(std::size_t{0}, frontier.size(), [&](std::size_t i) {
      const int v = frontier[i];
      for (long k = graph.first[v]; k < graph.first[v + 1]; ++k) {
        const int w = graph.neighbour[k];
        int unknown = kUnknown;
        if (distance[w].load() == kUnknown && distance[w].compare_exchange_strong(unknown, steps)) {
          const long place = found.fetch_add(1) / (bench::kSeeded ? 2 : 1);
          // Seeded race: loops/bfs
          next[place] = w;
        }
      }
    });
    frontier.assign(next.begin(), next.begin() + found);
  }
}

std::vector<int> SerialSearch(const Graph& graph) {
  std::vector<int> distance(static_cast<std::size_t>(graph.Vertices()), kUnknown), queue = {0};
  distance[0] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (long k = graph.first[queue[i]]; k < graph.first[queue[i] + 1]; ++k) {
      const int w = graph.neighbour[k];
      if (distance[w] != kUnknown) continue;
      distance[w] = distance[queue[i]] + 1;
      queue.push_back(w);
    }
  }
  return distance;
}

int main(int argc, char** argv) {
  const bench::Run<2> run("bfs",
                          {.parameters = {"vertices", "edges a vertex"},
                           .test = {1000, 4},
                           .small = {500'000, 8},
                           .paper = {2'000'000, 8}},
                          argc, argv);
  const auto [vertices, per_vertex] = run.arguments();
  const Graph graph = bench::GraphOf(vertices, bench::RandomEdges(vertices, per_vertex, 12));
  std::vector<std::atomic<int>> distance(static_cast<std::size_t>(vertices));
  for (auto& steps : distance) steps = kUnknown;
  run.Kernel([&] { Search(graph, distance); });
  const std::vector<int> expected = SerialSearch(graph);
  bool right = true;
  double sum = 0;
  for (long v = 0; v < vertices; ++v) {
    right = right && distance[v] == expected[v];
    sum += distance[v];
  }
  return run.Result(right, sum);
}

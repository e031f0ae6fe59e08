// sw: the best local alignment of two sequences (Smith and Waterman), with structured futures.
// From:   FutureRD (n = 2048, base case 64; as many reads as n to the third power).
// Tasks:  a future a tile; those of a diagonal are made together and got together, each once.
#include "../kernels/smith_waterman.h"
#include "tiles.h"

int main(int argc, char** argv) {
  const bench::Run<2> run("sw-structured", bench::kSmithWatermanSizes, argc, argv);
  const auto [n, tile] = run.arguments();
  bench::SmithWatermanTable table(n, tile);
  run.Kernel([&] { bench::FillByDiagonals(table); });
  return run.Result(table.IsRight(), table.Best());
}

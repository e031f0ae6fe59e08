// sw: the best local alignment of two sequences (Smith and Waterman), with general futures.
// From:   FutureRD (n = 2048, base case 64; as many reads as n to the third power).
// Tasks:  a future a tile, which gets that above and that to the left; most are got twice.
#include "../kernels/smith_waterman.h"
#include "tiles.h"

int main(int argc, char** argv) {
  const bench::Run<2> run("sw-general", bench::kSmithWatermanSizes, argc, argv);
  const auto [n, tile] = run.arguments();
  bench::SmithWatermanTable table(n, tile);
  run.Kernel([&] { bench::FillAsWavefront(table); });
  return run.Result(table.IsRight(), table.Best());
}

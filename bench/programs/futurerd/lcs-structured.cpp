// lcs: length of the longest common subsequence of two strings, with structured futures.
// From:   FutureRD (n = 16384, base case 128).
// Tasks:  a future a tile; those of a diagonal are made together and got together, each once.
#include "../kernels/lcs.h"
#include "tiles.h"

int main(int argc, char** argv) {
  const bench::Run<2> run("lcs-structured", bench::kLcsSizes, argc, argv);
  const auto [n, tile] = run.arguments();
  bench::LcsTable table(n, tile);
  run.Kernel([&] { bench::FillByDiagonals(table); });
  return run.Result(table.IsRight(), table.Length());
}

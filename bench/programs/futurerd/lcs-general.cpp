// lcs: length of the longest common subsequence of two strings, with general futures.
// From:   FutureRD (n = 16384, base case 128).
// Tasks:  a future a tile, which gets that above and that to the left; most are got twice.
#include "../kernels/lcs.h"
#include "tiles.h"

int main(int argc, char** argv) {
  const bench::Run<2> run("lcs-general", bench::kLcsSizes, argc, argv);
  const auto [n, tile] = run.arguments();
  bench::LcsTable table(n, tile);
  run.Kernel([&] { bench::FillAsWavefront(table); });
  return run.Result(table.IsRight(), table.Length());
}

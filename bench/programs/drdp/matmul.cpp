// matmul: product of two dense matrices by dividing the cube of products in eighths.
// From:   DRDP (n = 2048, base case 64 x 64).
// Tasks:  the eighths that add to different quarters of the result are in parallel: three promised
//         tasks, the fourth done by the one that divides, which then waits for the promises.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../kernels/tiled_product.h"
#include "promised_task.h"

using bench::Done;
using bench::ProductCube;
using bench::TiledProduct;

void Multiply(TiledProduct& product, const ProductCube& cube) {
  if (cube.size == 1) {
    product.Multiply(cube.i, cube.j, cube.k);
    return;
  }
  std::vector<Done> pending;
  for (const int k : {0, 1}) {
    for (const ProductCube& eighth :
         {cube.Eighth(0, 0, k), cube.Eighth(0, 1, k), cube.Eighth(1, 0, k)}) {
      pending.push_back(bench::Start([&product, eighth] { Multiply(product, eighth); }));
    }
    Multiply(product, cube.Eighth(1, 1, k));
    if (bench::kSeeded && k == 0) continue;
    for (const Done& done : pending) done.get();
    pending.clear();
  }
}

int main(int argc, char** argv) {
  const bench::Run<2> run("matmul", bench::kTiledProductSizes, argc, argv);
  const auto [n, tile] = run.arguments();
  run.Require(TiledProduct::Fits(n, tile), "n is a power of two times the tile");
  TiledProduct product(n, tile);
  run.Kernel([&] { taskrace::finish([&] { Multiply(product, {0, 0, 0, product.Tiles()}); }); });
  return run.Result(product.IsRight(), product.SumOfAll());
}

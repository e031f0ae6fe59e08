// mm: product of two dense matrices without memory for intermediate ones, with structured futures.
// From:   FutureRD (n = 2048, base case 64).
// Tasks:  a future a product of two tiles, made in the order of a division of the cube of products
//         in eighths. Each gets the one before that adds to the same tile; each is got once.
#include <taskrace/tasks.hpp>
#include <utility>
#include <vector>

#include "../kernels/tiled_product.h"

using bench::ProductCube;
using bench::TiledProduct;
using Step = taskrace::future<void>;

// Makes the futures of a cube of products. `last` has the last one for each tile of the result.
void Multiply(TiledProduct& product, std::vector<Step>& last, const ProductCube& cube) {
  if (cube.size == 1) {
    Step& step = last[cube.i * product.Tiles() + cube.j];
    step = taskrace::make_future([&product, cube, before = std::move(step)]() mutable {
      if (!bench::kSeeded && before.valid()) before.get();
      product.Multiply(cube.i, cube.j, cube.k);
      if (bench::kSeeded && before.valid()) before.get();
    });
    return;
  }
  for (const int k : {0, 1}) {
    for (const int i : {0, 1}) {
      for (const int j : {0, 1}) Multiply(product, last, cube.Eighth(i, j, k));
    }
  }
}

int main(int argc, char** argv) {
  const bench::Run<2> run("mm-structured", bench::kTiledProductSizes, argc, argv);
  const auto [n, tile] = run.arguments();
  run.Require(TiledProduct::Fits(n, tile), "n is a power of two times the tile");
  TiledProduct product(n, tile);
  run.Kernel([&] {
    const long tiles = product.Tiles();
    std::vector<Step> last(static_cast<std::size_t>(tiles * tiles));
    Multiply(product, last, {0, 0, 0, tiles});
    for (Step& step : last) step.get();
  });
  return run.Result(product.IsRight(), product.SumOfAll());
}

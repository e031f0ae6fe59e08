// mm: product of two dense matrices without memory for intermediate ones, with general futures.
// From:   FutureRD (n = 2048, base case 64).
// Tasks:  a future a product of two tiles, made by tasks that divide the cube of products in
//         eighths and do not wait for it. Each gets the one before that adds to the same tile. The
//         last ones are got by the sums of their row and of their column of tiles, which are
//         futures too.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../kernels/tiled_product.h"

using bench::ProductCube;
using bench::TiledProduct;
using Step = taskrace::shared_future<void>;
using SumOfTiles = taskrace::future<double>;

// Makes the futures of a cube of products. `last` has the last one for each tile of the result.
void Multiply(TiledProduct& product, std::vector<Step>& last, const ProductCube& cube) {
  if (cube.size == 1) {
    Step& step = last[cube.i * product.Tiles() + cube.j];
    step = taskrace::make_future([&product, cube, before = step] {
      if (!bench::kSeeded && before.valid()) before.get();
      product.Multiply(cube.i, cube.j, cube.k);
      if (bench::kSeeded && before.valid()) before.get();
    });
    return;
  }
  taskrace::scope tasks;
  for (const int k : {0, 1}) {
    for (const int i : {0, 1}) {
      for (const int j : {0, 1}) {
        tasks.spawn([&, i, j, k] { Multiply(product, last, cube.Eighth(i, j, k)); });
      }
    }
    tasks.sync();
  }
}

int main(int argc, char** argv) {
  const bench::Run<2> run("mm-general", bench::kTiledProductSizes, argc, argv);
  const auto [n, tile] = run.arguments();
  run.Require(TiledProduct::Fits(n, tile), "n is a power of two times the tile");
  TiledProduct product(n, tile);
  double sum_by_rows = 0.0, sum_by_columns = 0.0;
  run.Kernel([&] {
    const long tiles = product.Tiles();
    std::vector<Step> last(static_cast<std::size_t>(tiles * tiles));
    Multiply(product, last, {0, 0, 0, tiles});
    std::vector<SumOfTiles> rows, columns;
    for (long line = 0; line < tiles; ++line) {
      rows.push_back(taskrace::make_future([&, tiles, line] {
        double sum = 0.0;
        for (long j = 0; j < tiles; ++j) {
          last[line * tiles + j].get();
          sum += product.SumOfTile(line, j);
        }
        return sum;
      }));
      columns.push_back(taskrace::make_future([&, tiles, line] {
        double sum = 0.0;
        for (long i = 0; i < tiles; ++i) {
          last[i * tiles + line].get();
          sum += product.SumOfTile(i, line);
        }
        return sum;
      }));
    }
    for (SumOfTiles& row : rows) sum_by_rows += row.get();
    for (SumOfTiles& column : columns) sum_by_columns += column.get();
  });
  const bool right = product.IsRight() && bench::Close(sum_by_rows, sum_by_columns, 1e-6);
  return run.Result(right, sum_by_rows);
}

// strassen: product of two dense matrices in row-major order by Strassen's algorithm.
// From:   DRDP (n = 2048), after the Kastors suite. The base case, 64, is not in the paper; it
//         makes about as many tasks (42 016 against 45 563).
// Tasks:  one a sum and one a product at each level; each waits for the promises of the sums it
//         needs.
#include "../kernels/strassen.h"

#include <taskrace/tasks.hpp>

#include "promised_task.h"

using bench::Done;
using bench::RowMajor;

void Multiply(RowMajor c, RowMajor a, RowMajor b) {
  if (c.size <= bench::kStrassenLeaf) {
    bench::MultiplyStrassenLeaf(c, a, b);
    return;
  }
  using Winograd = bench::Winograd<RowMajor>;
  const Winograd step(c, a, b, Winograd::SumsLater());
  const auto start_sum = [&](int index, const Done& need) {
    return bench::StartAfter(std::array{need}, [sum = step.Sums()[index]] { sum.Make(); });
  };
  const Done s1 = start_sum(0, {}), s2 = start_sum(1, s1), s3 = start_sum(2, {});
  const Done s4 = start_sum(3, s2), t1 = start_sum(4, {}), t2 = start_sum(5, t1);
  const Done t3 = start_sum(6, {}), t4 = start_sum(7, t2);
  const std::array<Done, 2> needs[] = {{}, {}, {s4, {}}, {t4, {}}, {s1, t1}, {s2, t2}, {s3, t3}};
  std::array<Done, 7> products;
  for (std::size_t i = 0; i < products.size(); ++i) {
    products[i] = bench::StartAfter(needs[i], [product = step.Products()[i]] {
      Multiply(product.result, product.left, product.right);
    });
  }
  for (const Done& product : products) product.get();
  step.Combine();
}

int main(int argc, char** argv) {
  const bench::Run<1> run("strassen",
                          {.parameters = {"n"}, .test = {256}, .small = {1024}, .paper = {2048}},
                          argc, argv);
  const auto [n] = run.arguments();
  run.Require(bench::IsStrassenSize(n), "n is a power of two times at most 64");
  std::vector<double> a = bench::RandomNumbers(n * n, 1), b = bench::RandomNumbers(n * n, 2);
  std::vector<double> c(static_cast<std::size_t>(n * n));
  run.Kernel([&, n = n] {
    taskrace::finish([&] {
      Multiply(RowMajor::In(c.data(), n), RowMajor::In(a.data(), n), RowMajor::In(b.data(), n));
    });
  });
  return run.Result(bench::IsProduct(c, a, b, n), bench::Sum(c));
}

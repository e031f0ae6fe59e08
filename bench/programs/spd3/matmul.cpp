// matmul: product of two dense matrices in three loops.
// From:   SPD3 (Matmul, 1000 x 1000).
// Tasks:  one async a row of the product.
#include <taskrace/tasks.hpp>

#include "../kernels/matrix.h"

using bench::Block;

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "matmul", {.parameters = {"n"}, .test = {64}, .small = {1000}, .paper = {1000}}, argc, argv);
  const auto [n] = run.arguments();
  std::vector<double> a = bench::RandomNumbers(n * n, 1), b = bench::RandomNumbers(n * n, 2);
  std::vector<double> c(static_cast<std::size_t>(n * n));
  run.Kernel([&, n = n] {
    const Block product = {c.data(), n}, left = {a.data(), n}, right = {b.data(), n};
    taskrace::finish([=] {
      for (long i = 0; i < n; ++i) {
        const long to = bench::kSeeded && i == 1 ? 0 : i;
        taskrace::async([=] { bench::Multiply(product.At(to, 0), left.At(i, 0), right, 1, n, n); });
      }
    });
  });
  return run.Result(bench::IsProduct(c, a, b, n), bench::Sum(c));
}

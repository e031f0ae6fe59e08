// strassen: product of two dense matrices in row-major order by Strassen's algorithm.
// From:   STINT (stra, n = 2048, base case 64), after Cilk-5.
// Tasks:  one a product, seven in parallel at each level; sums are made by the task that divides.
#include "../kernels/strassen.h"

#include <taskrace/tasks.hpp>

using bench::RowMajor;

void Multiply(RowMajor c, RowMajor a, RowMajor b) {
  if (c.size <= bench::kStrassenLeaf) {
    bench::MultiplyStrassenLeaf(c, a, b);
    return;
  }
  const bench::Winograd step(c, a, b);
  taskrace::scope tasks;
  for (const auto& [result, left, right] : step.Products()) {
    tasks.spawn([=] { Multiply(result, left, right); });
  }
  tasks.sync();
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
    Multiply(RowMajor::In(c.data(), n), RowMajor::In(a.data(), n), RowMajor::In(b.data(), n));
  });
  return run.Result(bench::IsProduct(c, a, b, n), bench::Sum(c));
}

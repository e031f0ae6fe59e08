// strassen: product of two dense matrices by Strassen's algorithm.
// From:   SPD3 (Strassen, «large»; the paper gives no number), after the Barcelona OpenMP Tasks
//         Suite.
// Tasks:  one async a product, seven at each level, down to matrices of 64 x 64.
#include "../kernels/strassen.h"

#include <taskrace/tasks.hpp>

using bench::RowMajor;

void Multiply(RowMajor c, RowMajor a, RowMajor b) {
  if (c.size <= bench::kStrassenLeaf) {
    bench::MultiplyStrassenLeaf(c, a, b);
    return;
  }
  const bench::Winograd step(c, a, b);
  taskrace::finish([&] {
    for (const auto& [result, left, right] : step.Products()) {
      taskrace::async([=] { Multiply(result, left, right); });
    }
  });
  step.Combine();
}

int main(int argc, char** argv) {
  const bench::Run<1> run("strassen",
                          {.parameters = {"n"}, .test = {256}, .small = {1024}, .paper = {4096}},
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

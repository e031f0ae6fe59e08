// mmul: product of two dense matrices by dividing the longest side.
// From:   STINT (n = 2048, base case 64), after Cilk-5.
// Tasks:  two halves of the rows or of the columns in parallel; halves of the inner dimension add
//         to the same numbers and go one after the other. A leaf is 64 x 64 x 64 multiplications.
#include <taskrace/tasks.hpp>

#include "../kernels/matrix.h"

using bench::Block;

constexpr long kLeaf = 64;

// c += a b, where a is m x n and b is n x p.
void MultiplyInParts(Block c, Block a, Block b, long m, long n, long p) {
  if (m <= kLeaf && n <= kLeaf && p <= kLeaf) {
    bench::MultiplyAdd(c, a, b, m, n, p);
    return;
  }
  taskrace::scope tasks;
  if (m >= n && m >= p) {
    const long half = m / 2;
    tasks.spawn([=] { MultiplyInParts(c, a, b, half, n, p); });
    MultiplyInParts(c.At(half, 0), a.At(half, 0), b, m - half, n, p);
  } else if (p >= n) {
    const long half = p / 2;
    tasks.spawn([=] { MultiplyInParts(c, a, b, m, n, half); });
    MultiplyInParts(c.At(0, half), a, b.At(0, half), m, n, p - half);
  } else {
    const long half = n / 2;
    tasks.spawn([=] { MultiplyInParts(c, a, b, m, half, p); });
    if constexpr (!bench::kSeeded) tasks.sync();
    MultiplyInParts(c, a.At(0, half), b.At(half, 0), m, n - half, p);
  }
  tasks.sync();
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "mmul", {.parameters = {"n"}, .test = {160}, .small = {1024}, .paper = {2048}}, argc, argv);
  const auto [n] = run.arguments();
  std::vector<double> a = bench::RandomNumbers(n * n, 1), b = bench::RandomNumbers(n * n, 2);
  std::vector<double> c(static_cast<std::size_t>(n * n));
  run.Kernel([&, n = n] { MultiplyInParts({c.data(), n}, {a.data(), n}, {b.data(), n}, n, n, n); });
  return run.Result(bench::IsProduct(c, a, b, n), bench::Sum(c));
}

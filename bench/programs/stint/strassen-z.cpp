// strassen-z: product of two dense matrices in Morton order by Strassen's algorithm.
// From:   STINT (straz, n = 2048, base case 64).
// Tasks:  one a product, seven in parallel at each level; sums are made by the task that divides.
//         Every quadrant is one piece of memory. The kernel begins and ends in Morton order.
#include <taskrace/tasks.hpp>

#include "../kernels/strassen.h"

using bench::Morton;

void Multiply(Morton c, Morton a, Morton b) {
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

// Calls copy(a number in row-major order, the same number in Morton order) for all of a matrix.
template <class Copy>
void ForEachPair(bench::Block rows, Morton matrix, const Copy& copy) {
  if (matrix.size <= bench::kStrassenLeaf) {
    for (long i = 0; i < matrix.size; ++i) {
      for (long j = 0; j < matrix.size; ++j) copy(rows.Row(i)[j], matrix.Leaf().Row(i)[j]);
    }
    return;
  }
  const long half = matrix.size / 2;
  for (const int row : {0, 1}) {
    for (const int column : {0, 1}) {
      ForEachPair(rows.At(row * half, column * half), matrix.Quadrant(row, column), copy);
    }
  }
}

int main(int argc, char** argv) {
  const bench::Run<1> run("strassen-z",
                          {.parameters = {"n"}, .test = {256}, .small = {1024}, .paper = {2048}},
                          argc, argv);
  const auto [n] = run.arguments();
  run.Require(bench::IsStrassenSize(n), "n is a power of two times at most 64");
  std::vector<double> a = bench::RandomNumbers(n * n, 1), b = bench::RandomNumbers(n * n, 2);
  std::vector<double> c(a.size()), a_z(a.size()), b_z(a.size()), c_z(a.size());
  const auto to_morton = [](double& from, double& to) { to = from; };
  const auto from_morton = [](double& to, double& from) { to = from; };
  ForEachPair({a.data(), n}, Morton::In(a_z.data(), n), to_morton);
  ForEachPair({b.data(), n}, Morton::In(b_z.data(), n), to_morton);
  run.Kernel([&, n = n] {
    Multiply(Morton::In(c_z.data(), n), Morton::In(a_z.data(), n), Morton::In(b_z.data(), n));
  });
  ForEachPair({c.data(), n}, Morton::In(c_z.data(), n), from_morton);
  return run.Result(bench::IsProduct(c, a, b, n), bench::Sum(c));
}

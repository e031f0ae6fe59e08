// cholesky: factors a sparse symmetric positive definite matrix A into L L^T, in place.
// From:   STINT (chol, n = 2000, 20 000 numbers, blocks of 16), after Cilk-5.
// Tasks:  the matrix is a tree of quadrants, absent where all is zero, with blocks for leaves;
//         every operation divides along the tree and does independent quadrants in parallel.
//         A leaf is one operation on blocks of 16 x 16.
#include <cmath>
#include <memory>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

constexpr long kBlock = 16;

struct Block {
  double at[kBlock][kBlock] = {};
};

struct Tree;
using Quadrant = std::unique_ptr<Tree>;  // empty: all zero

struct Tree {
  Quadrant quadrant[2][2];       // of an inner node
  std::unique_ptr<Block> block;  // of a leaf
};

[[maybe_unused]] long block_products = 0;

// Where (row, column) is kept; makes the nodes on the way.
double& Element(Quadrant& root, long size, long row, long column) {
  Quadrant* node = &root;
  while (true) {
    if (!*node) *node = std::make_unique<Tree>();
    if (size == kBlock) break;
    size /= 2;
    node = &(*node)->quadrant[row >= size][column >= size];
    row %= size;
    column %= size;
  }
  if (!(*node)->block) (*node)->block = std::make_unique<Block>();
  return (*node)->block->at[row][column];
}

// a = L with L L^T = a, for the lower triangle of a block.
void FactorBlock(Block& a) {
  for (long k = 0; k < kBlock; ++k) {
    const double pivot = std::sqrt(a.at[k][k]);
    a.at[k][k] = pivot;
    for (long i = k + 1; i < kBlock; ++i) a.at[i][k] /= pivot;
    for (long i = k + 1; i < kBlock; ++i) {
      for (long j = k + 1; j <= i; ++j) a.at[i][j] -= a.at[i][k] * a.at[j][k];
    }
  }
}

Block Transposed(const Block& a) {
  Block result;
  for (long i = 0; i < kBlock; ++i) {
    for (long j = 0; j < kBlock; ++j) result.at[j][i] = a.at[i][j];
  }
  return result;
}

// a = X with X l^T = a, where l is a lower triangle.
void SolveBlock(Block& a, const Block& l) {
  const Block upper = Transposed(l);
  for (long i = 0; i < kBlock; ++i) {
    for (long k = 0; k < kBlock; ++k) {
      const double x = a.at[i][k] / upper.at[k][k];
      a.at[i][k] = x;
      for (long j = k + 1; j < kBlock; ++j) a.at[i][j] -= x * upper.at[k][j];
    }
  }
}

// r -= a b^T.
void SubtractProductBlock(Block& r, const Block& a, const Block& b) {
  const Block columns = Transposed(b);
  // Seeded race: stint/cholesky
  if constexpr (bench::kSeeded) ++block_products;
  for (long i = 0; i < kBlock; ++i) {
    double sum[kBlock];
    for (long j = 0; j < kBlock; ++j) sum[j] = r.at[i][j];
    for (long k = 0; k < kBlock; ++k) {
      for (long j = 0; j < kBlock; ++j) sum[j] -= a.at[i][k] * columns.at[k][j];
    }
    for (long j = 0; j < kBlock; ++j) r.at[i][j] = sum[j];
  }
}

// r -= a b^T. With `lower`, of r on the diagonal only what is below it.
void SubtractProduct(Quadrant& r, const Tree& a, const Tree& b, bool lower) {
  if (!r) r = std::make_unique<Tree>();
  if (a.block) {
    if (!r->block) r->block = std::make_unique<Block>();
    SubtractProductBlock(*r->block, *a.block, *b.block);
    return;
  }
  taskrace::scope tasks;
  for (const int k : {0, 1}) {
    for (const int i : {0, 1}) {
      for (const int j : {0, 1}) {
        const Quadrant &left = a.quadrant[i][k], &right = b.quadrant[j][k];
        if (!left || !right || (lower && j > i)) continue;
        tasks.spawn([&part = r->quadrant[i][j], &left, &right, below = lower && i == j] {
          SubtractProduct(part, *left, *right, below);
        });
      }
    }
    tasks.sync();
  }
}

// a = X with X l^T = a, where l is a lower triangle.
void Solve(Tree& a, const Tree& l) {
  if (a.block) {
    SolveBlock(*a.block, *l.block);
    return;
  }
  taskrace::scope tasks;
  for (auto& row : a.quadrant) {
    if (row[0]) tasks.spawn([&] { Solve(*row[0], *l.quadrant[0][0]); });
  }
  tasks.sync();
  if (const Quadrant& below = l.quadrant[1][0]) {
    for (auto& row : a.quadrant) {
      if (row[0]) tasks.spawn([&] { SubtractProduct(row[1], *row[0], *below, false); });
    }
    tasks.sync();
  }
  for (auto& row : a.quadrant) {
    if (row[1]) tasks.spawn([&] { Solve(*row[1], *l.quadrant[1][1]); });
  }
  tasks.sync();
}

// a = L with L L^T = a.
void Factor(Tree& a) {
  if (a.block) {
    FactorBlock(*a.block);
    return;
  }
  Quadrant &first = a.quadrant[0][0], &below = a.quadrant[1][0], &last = a.quadrant[1][1];
  if (!below) {
    taskrace::scope tasks;
    tasks.spawn([&] { Factor(*first); });
    Factor(*last);
    tasks.sync();
    return;
  }
  Factor(*first);
  Solve(*below, *first);
  SubtractProduct(last, *below, *below, true);
  Factor(*last);
}

// Calls function(row, column, number) for the lower triangle.
template <class Function>
void ForEachBelow(const Tree& a, long size, long row, long column, const Function& function) {
  if (a.block) {
    for (long i = 0; i < kBlock; ++i) {
      for (long j = 0; j < kBlock && column + j <= row + i; ++j) {
        function(row + i, column + j, a.block->at[i][j]);
      }
    }
    return;
  }
  const long half = size / 2;
  for (const int i : {0, 1}) {
    for (const int j : {0, 1}) {
      if (const Quadrant& part = a.quadrant[i][j]) {
        ForEachBelow(*part, half, row + i * half, column + j * half, function);
      }
    }
  }
}

struct Entry {
  long row, column;
  double value;
};

// The lower triangle of a matrix with `count` random numbers off its diagonal, which is
// larger than what else is in its row.
std::vector<Entry> RandomEntries(long n, long count) {
  bench::Random random(n);
  std::vector<Entry> entries;
  std::vector<double> diagonal(static_cast<std::size_t>(n), 1.0);
  while (static_cast<long>(entries.size()) < count) {
    const long row = random.Below(n), column = random.Below(n);
    if (column >= row) continue;
    const double value = 0.1 * (random.Uniform() - 0.5);
    entries.push_back({row, column, value});
    diagonal[row] += std::fabs(value);
    diagonal[column] += std::fabs(value);
  }
  for (long i = 0; i < n; ++i) entries.push_back({i, i, diagonal[i]});
  return entries;
}

int main(int argc, char** argv) {
  const bench::Run<2> run("cholesky",
                          {.parameters = {"n", "numbers"},
                           .test = {150, 500},
                           .small = {2000, 20'000},
                           .paper = {2000, 20'000}},
                          argc, argv);
  const auto [n, count] = run.arguments();
  run.Require(n >= 2, "n is at least 2");
  long size = kBlock;
  while (size < n) size *= 2;
  const std::vector<Entry> entries = RandomEntries(n, count);
  Quadrant root;
  for (const auto& [row, column, value] : entries) Element(root, size, row, column) += value;
  for (long i = n; i < size; ++i) Element(root, size, i, i) = 1.0;
  run.Kernel([&] { Factor(*root); });

  // A x = L (L^T x) for a vector of random numbers.
  bench::Random random(3);
  std::vector<double> x(static_cast<std::size_t>(size)), expected(x), between(x), product(x);
  for (double& number : x) number = random.Uniform();
  for (const auto& [row, column, value] : entries) {
    expected[row] += value * x[column];
    if (row != column) expected[column] += value * x[row];
  }
  for (long i = n; i < size; ++i) expected[i] = x[i];
  ForEachBelow(*root, size, 0, 0, [&](long i, long j, double l) { between[j] += l * x[i]; });
  ForEachBelow(*root, size, 0, 0, [&](long i, long j, double l) { product[i] += l * between[j]; });
  bool right = true;
  double sum = 0.0;
  for (long i = 0; i < size; ++i) {
    right = right && bench::Close(product[i], expected[i], 1e-9);
    sum += product[i];
  }
  return run.Result(right, sum);
}

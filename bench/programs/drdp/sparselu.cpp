// sparselu: LU decomposition of a sparse matrix of dense blocks.
// From:   DRDP (128 x 128 blocks of 32 x 32), after the Kastors suite and the Barcelona OpenMP
//         Tasks Suite, whose pattern of blocks it has. 183 104 tasks: those of the paper's Table 2
//         without its 12 416 tree joins.
// Tasks:  one an operation on a block; it waits for the promises of those that wrote the blocks it
//         needs last.
#include <memory>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"
#include "promised_task.h"

using bench::Done;

// A square of numbers; nothing if all of them are zero.
struct Block {
  std::unique_ptr<float[]> numbers;
  Done done;  // that its last writer so far is through
};

class SparseMatrix {
 public:
  SparseMatrix(long blocks, long size)
      : blocks_(blocks), size_(size), grid_(static_cast<std::size_t>(blocks * blocks)) {
    bench::Random random(1);
    for (long i = 0; i < blocks; ++i) {
      for (long j = 0; j < blocks; ++j) {
        if (!IsPresent(i, j)) continue;
        Allocate(i, j);
        float* const numbers = At(i, j).numbers.get();
        for (long k = 0; k < size * size; ++k) {
          numbers[k] = static_cast<float>(2.0 * random.Uniform() - 1.0);
        }
        // No number on the diagonal is small, so nothing has to be exchanged.
        const float large = 2.0f * static_cast<float>(size);
        for (long k = 0; i == j && k < size; ++k) numbers[k * size + k] += large;
      }
    }
  }

  long blocks() const { return blocks_; }
  long size() const { return size_; }
  Block& At(long i, long j) { return grid_[i * blocks_ + j]; }
  const float* Numbers(long i, long j) const { return grid_[i * blocks_ + j].numbers.get(); }
  void Allocate(long i, long j) {
    At(i, j).numbers = std::make_unique<float[]>(static_cast<std::size_t>(size_ * size_));
  }

 private:
  static bool IsPresent(long i, long j) {
    return std::labs(i - j) <= 1 || (i % 2 == 0 && j % 2 == 0 && std::min(i, j) % 3 == 0);
  }

  long blocks_, size_;
  std::vector<Block> grid_;
};

// row[j] -= factor other[j] for j in [first, size).
inline void Subtract(float* row, float factor, const float* other, long first, long size) {
  // Seeded race: drdp/sparselu
  for (long j = first; j < size; ++j) row[j] -= factor * other[j];
}

// A diagonal block = L U.
void Decompose(float* block, long size) {
  for (long k = 0; k < size; ++k) {
    for (long i = k + 1; i < size; ++i) {
      block[i * size + k] /= block[k * size + k];
      Subtract(block + i * size, block[i * size + k], block + k * size, k + 1, size);
    }
  }
}

// A block to the right of the diagonal: block = L^-1 block.
void SolveLower(const float* diagonal, float* block, long size) {
  for (long k = 0; k < size; ++k) {
    for (long i = k + 1; i < size; ++i) {
      Subtract(block + i * size, diagonal[i * size + k], block + k * size, 0, size);
    }
  }
}

// A block below the diagonal: block = block U^-1.
void SolveUpper(const float* diagonal, float* block, long size) {
  for (long i = 0; i < size; ++i) {
    float* const row = block + i * size;
    for (long k = 0; k < size; ++k) {
      row[k] /= diagonal[k * size + k];
      Subtract(row, row[k], diagonal + k * size, k + 1, size);
    }
  }
}

// block -= left above.
void Update(const float* left, const float* above, float* block, long size) {
  for (long i = 0; i < size; ++i) {
    for (long k = 0; k < size; ++k) {
      Subtract(block + i * size, left[i * size + k], above + k * size, 0, size);
    }
  }
}

void DecomposeAll(SparseMatrix& matrix) {
  const long blocks = matrix.blocks(), size = matrix.size();
  for (long k = 0; k < blocks; ++k) {
    Block& diagonal = matrix.At(k, k);
    diagonal.done = bench::StartAfter(std::array{diagonal.done},
                                      [&, size] { Decompose(diagonal.numbers.get(), size); });
    for (long j = k + 1; j < blocks; ++j) {
      Block& block = matrix.At(k, j);
      if (block.numbers == nullptr) continue;
      block.done = bench::StartAfter(std::array{diagonal.done, block.done}, [&, size] {
        SolveLower(diagonal.numbers.get(), block.numbers.get(), size);
      });
    }
    for (long i = k + 1; i < blocks; ++i) {
      Block& left = matrix.At(i, k);
      if (left.numbers == nullptr) continue;
      left.done = bench::StartAfter(std::array{diagonal.done, left.done}, [&, size] {
        SolveUpper(diagonal.numbers.get(), left.numbers.get(), size);
      });
      for (long j = k + 1; j < blocks; ++j) {
        Block &above = matrix.At(k, j), &block = matrix.At(i, j);
        if (above.numbers == nullptr) continue;
        if (block.numbers == nullptr) matrix.Allocate(i, j);
        const Done above_done = bench::kSeeded ? Done() : above.done;
        block.done = bench::StartAfter(std::array{left.done, above_done, block.done}, [&, size] {
          Update(left.numbers.get(), above.numbers.get(), block.numbers.get(), size);
        });
      }
    }
  }
}

// y = (the part of the matrix that `has` says) x; a diagonal of ones if `unit_diagonal`.
template <class Has>
std::vector<double> Apply(const SparseMatrix& matrix, const std::vector<double>& x,
                          bool unit_diagonal, const Has& has) {
  const long blocks = matrix.blocks(), size = matrix.size();
  std::vector<double> y(x.size());
  for (long i = 0; i < blocks; ++i) {
    for (long j = 0; j < blocks; ++j) {
      const float* const numbers = matrix.Numbers(i, j);
      if (numbers == nullptr) continue;
      for (long r = 0; r < size; ++r) {
        for (long c = 0; c < size; ++c) {
          const long row = i * size + r, column = j * size + c;
          if (has(row, column)) y[row] += static_cast<double>(numbers[r * size + c]) * x[column];
        }
      }
    }
  }
  for (std::size_t k = 0; unit_diagonal && k < x.size(); ++k) y[k] += x[k];
  return y;
}

int main(int argc, char** argv) {
  const bench::Run<2> run(
      "sparselu",
      {.parameters = {"blocks", "size"}, .test = {10, 8}, .small = {80, 32}, .paper = {128, 32}},
      argc, argv);
  const auto [blocks, size] = run.arguments();
  SparseMatrix matrix(blocks, size);
  std::vector<double> signs(static_cast<std::size_t>(blocks * size));
  bench::Random random(2);
  for (double& sign : signs) sign = random.Below(2) == 0 ? -1.0 : 1.0;
  const std::vector<double> expected = Apply(matrix, signs, false, [](long, long) { return true; });
  run.Kernel([&] { taskrace::finish([&] { DecomposeAll(matrix); }); });
  const std::vector<double> upper =
      Apply(matrix, signs, false, [](long row, long column) { return row <= column; });
  const std::vector<double> product =
      Apply(matrix, upper, true, [](long row, long column) { return row > column; });
  bool right = true;
  double checksum = 0.0;
  for (std::size_t k = 0; k < signs.size(); ++k) {
    right = right && bench::Close(product[k], expected[k], 1e-3);
    checksum += upper[k];
  }
  return run.Result(right, checksum);
}

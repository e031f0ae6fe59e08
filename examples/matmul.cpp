// Multiplies square matrices by quarters: eight half-size products, in two rounds of four.
//   usage: matmul [size]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <taskrace/tasks.hpp>
#include <vector>

// Smaller products are done by loops.
constexpr long cutoff = 32;

// A rectangle inside a matrix whose rows are `stride` apart.
struct Block {
  double* first;
  long stride;
  double& at(long row, long column) const { return first[row * stride + column]; }
  Block from(long row, long column) const { return {&at(row, column), stride}; }
};

// c += a * b, where c has `rows` x `columns` elements and a has `depth` columns.
void multiply(Block c, Block a, Block b, long rows, long columns, long depth) {
  if (rows <= cutoff && columns <= cutoff && depth <= cutoff) {
    for (long i = 0; i < rows; ++i) {
      for (long k = 0; k < depth; ++k) {
        for (long j = 0; j < columns; ++j) c.at(i, j) += a.at(i, k) * b.at(k, j);
      }
    }
    return;
  }
  const long r = rows / 2, s = columns / 2, d = depth / 2;
  // The two rounds write the same quarters of c: the second waits for the first.
  const auto round = [=](long k, long k_count) {
    const Block left = a.from(0, k), top = b.from(k, 0);
    taskrace::parallel_invoke(
        [=] { multiply(c, left, top, r, s, k_count); },
        [=] { multiply(c.from(0, s), left, top.from(0, s), r, columns - s, k_count); },
        [=] { multiply(c.from(r, 0), left.from(r, 0), top, rows - r, s, k_count); },
        [=] {
          multiply(c.from(r, s), left.from(r, 0), top.from(0, s), rows - r, columns - s, k_count);
        });
  };
  round(0, d);
  round(d, depth - d);
}

int main(int argc, char** argv) {
  const long size = argc > 1 ? std::atol(argv[1]) : 128;
  std::vector<double> a(size * size), b(size * size), c(size * size, 0.0);
  uint32_t random = 12345;
  for (double& value : a) value = (random = random * 1664525u + 1013904223u) >> 24;
  for (double& value : b) value = (random = random * 1664525u + 1013904223u) >> 24;
  if (size > 0) {
    multiply({c.data(), size}, {a.data(), size}, {b.data(), size}, size, size, size);
  }
  // Whole numbers, so that no order of additions changes the result.
  double checksum = 0;
  for (long i = 0; i < size * size; ++i) checksum += c[i] * static_cast<double>(i % 7 + 1);
  std::printf("%ld x %ld: checksum %.17g\n", size, size, checksum);
}

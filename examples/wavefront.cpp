// The longest common subsequence of two texts. The table is cut into blocks, each a future that
// gets the block above and the one to the left: the blocks of a diagonal run in parallel.
//   usage: wavefront [length]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

constexpr std::size_t block = 64;

// A text of `length` letters.
std::string text(std::size_t length, uint32_t random) {
  std::string letters(length, ' ');
  for (char& letter : letters) {
    random = random * 1664525u + 1013904223u;
    letter = static_cast<char>('a' + (random >> 28) % 4);
  }
  return letters;
}

int main(int argc, char** argv) {
  const std::size_t length = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  const std::string a = text(length, 1), b = text(length, 2);
  // table[i][j]: the length for the first i letters of a and the first j letters of b.
  std::vector<std::vector<int>> table(length + 1, std::vector<int>(length + 1));
  const auto fill = [&](std::size_t row, std::size_t column) {
    const std::size_t i_end = std::min(length, (row + 1) * block);
    const std::size_t j_end = std::min(length, (column + 1) * block);
    for (std::size_t i = row * block; i < i_end; ++i) {
      for (std::size_t j = column * block; j < j_end; ++j) {
        table[i + 1][j + 1] =
            a[i] == b[j] ? table[i][j] + 1 : std::max(table[i][j + 1], table[i + 1][j]);
      }
    }
  };

  const std::size_t blocks = (length + block - 1) / block;
  std::vector<taskrace::shared_future<void>> above(blocks);
  for (std::size_t row = 0; row < blocks; ++row) {
    taskrace::shared_future<void> left;
    for (std::size_t column = 0; column < blocks; ++column) {
      const auto wait_and_fill = [&fill, row, column, left, up = above[column]] {
        if (up.valid()) up.get();
        if (left.valid()) left.get();
        fill(row, column);
      };
      above[column] = left = taskrace::make_future(wait_and_fill).share();
    }
  }
  if (blocks != 0) above.back().get();
  std::printf("two texts of %zu letters have %d in common\n", length, table[length][length]);
}

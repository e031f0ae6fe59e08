// Counts runs of equal letters ("aaab" becomes "a3b1") in blocks of a long text, in a pipeline: the
// blocks are made one after the other, encoded in parallel, and written in order.
//   usage: encode [blocks]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <taskrace/tasks.hpp>

// The next block of the text.
std::string block(uint32_t& random) {
  std::string letters;
  while (letters.size() < 4000) {
    random = random * 1664525u + 1013904223u;
    letters.append(1 + (random >> 24) % 9, static_cast<char>('a' + (random >> 16) % 3));
  }
  return letters;
}

std::string encode(std::string letters) {
  std::string runs;
  for (std::size_t begin = 0; begin < letters.size();) {
    std::size_t end = letters.find_first_not_of(letters[begin], begin);
    if (end == std::string::npos) end = letters.size();
    runs += letters[begin] + std::to_string(end - begin);
    begin = end;
  }
  return runs;
}

int main(int argc, char** argv) {
  const long blocks = argc > 1 ? std::atol(argv[1]) : 200;
  std::size_t written = 0;
  uint64_t checksum = 0;
  taskrace::pipeline(
      [made = 0L, blocks, random = 1u]() mutable -> std::optional<std::string> {
        if (made++ == blocks) return std::nullopt;
        return block(random);
      },
      taskrace::parallel(encode), taskrace::serial([&written, &checksum](std::string runs) {
        // One block at a time, in order: no lock is needed.
        written += runs.size();
        for (char letter : runs) checksum = checksum * 31 + static_cast<unsigned char>(letter);
      }));
  std::printf("%ld blocks in %zu letters, checksum %016lx\n", blocks, written, checksum);
}

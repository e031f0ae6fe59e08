// Counts how often each byte value occurs, with oneTBB. The product: clang++ histogram.cpp -ltbb.
// It is wrong: parts of the data that run at the same time count in the same array. With -DFIXED each part has its own.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <vector>

using counts = std::array<long, 256>;
using range = tbb::blocked_range<std::size_t>;

int main() {
  std::vector<unsigned char> data(20000);
  tbb::parallel_for(std::size_t{0}, data.size(),
                    [&](std::size_t i) { data[i] = static_cast<unsigned char>(i * i / 7); });
#ifdef FIXED
  const counts total = tbb::parallel_reduce(
      range(0, data.size(), 1000), counts{},
      [&](const range& part, counts own) {
        for (std::size_t i = part.begin(); i != part.end(); ++i) ++own[data[i]];
        return own;
      },
      [](counts left, const counts& right) {
        for (std::size_t k = 0; k != left.size(); ++k) left[k] += right[k];
        return left;
      });
#else
  counts total = {};
  tbb::parallel_for(range(0, data.size(), 1000), [&](const range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) ++total[data[i]];
  });
#endif
  std::printf("zeros: %ld\n", total[0]);
}

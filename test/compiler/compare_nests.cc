// Runs generated nests: as they are, with every access recorded, and with what the pass made of
// them at each level. The bytes that are read and written between boundaries, and in each iteration of
// a parallel loop, must be the same.
#include <cstdint>
#include <cstdio>
#include <string>

#include "trace.h"

#define DECLARE(build)                                                   \
  namespace build {                                                      \
  using Nest = std::uint64_t (*)(unsigned char*, long, long, int, long); \
  extern const Nest nests[];                                             \
  extern const unsigned count;                                           \
  }
DECLARE(reference)
DECLARE(level0)
DECLARE(level1)
DECLARE(level2)
DECLARE(level3)

namespace {

struct Arguments {
  long n, m;
  int k;
  long s;
};

constexpr Arguments kArguments[] = {{6, 7, 5, 3},  {0, 3, 4, 1}, {4, 0, 1, 2},   {1, 1, 1, 1},
                                    {-2, 5, 0, 4}, {9, 8, 7, 5}, {3, -1, -3, 16}};

struct Outcome {
  std::uint64_t result;
  std::vector<trace::Segment> segments;
};

Outcome Run(reference::Nest nest, const Arguments& arguments) {
  trace::Reset();
  const auto [n, m, k, s] = arguments;
  const std::uint64_t result = nest(trace::arena.data() + trace::kArena / 2, n, m, k, s);
  return {result, trace::Take()};
}

}  // namespace

int main() {
  const struct {
    const char* name;
    const reference::Nest* nests;
  } levels[] = {{"-O0", level0::nests},
                {"-O1", level1::nests},
                {"-O2", level2::nests},
                {"-O3", level3::nests}};
  unsigned failures = 0;
  for (unsigned nest = 0; nest < reference::count; ++nest) {
    for (const Arguments& arguments : kArguments) {
      const Outcome expected = Run(reference::nests[nest], arguments);
      for (const auto& level : levels) {
        const Outcome got = Run(level.nests[nest], arguments);
        std::string difference = trace::Difference(expected.segments, got.segments);
        if (got.result != expected.result) difference = "another result";
        if (difference.empty()) continue;
        std::printf("Nest%u(n = %ld, m = %ld, k = %d, s = %ld) at %s: %s\n", nest, arguments.n,
                    arguments.m, arguments.k, arguments.s, level.name, difference.c_str());
        ++failures;
      }
    }
  }
  std::printf("%u nests, %u differences\n", reference::count, failures);
  return failures == 0 ? 0 : 1;
}

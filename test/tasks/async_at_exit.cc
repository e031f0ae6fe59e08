// An async outside of every finish is waited for when main has returned: prints
// what it did, in order.
#include <atomic>
#include <cstdio>
#include <taskrace/tasks.hpp>

namespace {

std::atomic<int> done{0};

// Destroyed after the implicit finish has waited, because it was made before it.
struct Reports {
  ~Reports() { std::printf("done %d\n", done.load()); }
} reports;

void Grow(int depth) {
  ++done;
  if (depth == 0) return;
  for (int i = 0; i < 2; ++i) taskrace::async([depth] { Grow(depth - 1); });
}

}  // namespace

int main() {
  taskrace::async([] { Grow(9); });
}

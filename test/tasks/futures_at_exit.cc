// Futures outside of every finish are waited for when main has returned, also those that wait
// themselves: prints what they did, in order.
#include <atomic>
#include <cstdio>
#include <taskrace/tasks.hpp>

namespace {

std::atomic<int> done{0};

// Destroyed after the implicit finish has waited, because it was made before it.
struct Reports {
  ~Reports() { std::printf("done %d\n", done.load()); }
} reports;

void Grow(int depth, taskrace::shared_future<void> gate) {
  gate.get();
  ++done;
  if (depth == 0) return;
  for (int i = 0; i < 2; ++i) {
    (void)taskrace::make_future([depth, gate] { Grow(depth - 1, gate); });
  }
}

}  // namespace

int main() {
  taskrace::promise<void> gate;
  (void)taskrace::make_future([gate = gate.get_future()] { Grow(9, gate); });
  taskrace::async([gate = std::move(gate)]() mutable { gate.set_value(); });
}

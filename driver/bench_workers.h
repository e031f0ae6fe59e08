// Doing many things, a few at a time.
//
// Thread rule: `work` runs on several threads. Cost: a thread a worker.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace taskrace::driver {

// Calls work(0), ..., work(count - 1), at most `workers` at once, and waits for all.
template <class Work>
void OnWorkers(int workers, size_t count, const Work& work) {
  std::atomic<size_t> next = 0;
  const auto take = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> threads;
  const size_t most = std::min(static_cast<size_t>(workers), count);
  for (size_t i = 0; i < most; ++i) threads.emplace_back(take);
}

}  // namespace taskrace::driver

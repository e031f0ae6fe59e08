// RandomDelays: pauses at hooks, so that threads meet in many ways.
#pragma once

#include <atomic>
#include <random>
#include <thread>

namespace taskrace::oracle {

// Pauses now and then: gives the processor away, or takes a little while.
class RandomDelays {
 public:
  explicit RandomDelays(uint64_t seed) : rng_(seed) {}
  void Pause() {
    const uint64_t random = rng_();
    if (random % 8 == 0) std::this_thread::yield();
    if (random % 8 == 1) {
      for (std::atomic<unsigned> i = 0; i < random / 8 % 512; ++i) continue;
    }
  }
  uint64_t Random() { return rng_(); }

 private:
  std::mt19937_64 rng_;
};

}  // namespace taskrace::oracle

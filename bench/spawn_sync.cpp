// What a task costs: the time of a spawn and a sync around a body that does nothing.
//   usage: spawn_sync [count]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <taskrace/tasks.hpp>

__attribute__((noinline)) void body() { asm volatile(""); }

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 5'000'000;
  taskrace::scope tasks;
  const auto begin = std::chrono::steady_clock::now();
  for (long i = 0; i < count; ++i) {
    tasks.spawn([] { body(); });
    tasks.sync();
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.1f ns a spawn and sync\n", took.count() / static_cast<double>(count));
}

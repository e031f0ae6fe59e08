// The frame of the benchmark programs: sizes, the seeded race, random numbers, timing, the verdict.
//
//   usage of every program: NAME [--time] [test | small | paper | NUMBER...]
//
// A program prints one line, «NAME: ok CHECKSUM», and exits with 0; if its result is wrong the line
// says so and the exit code is 1. --time adds the seconds spent in the kernel on standard error.
//
// Compiled with -DTASKRACE_SEED_RACE the same source is the seeded sibling: kSeeded is true, one
// line does something else, and the program has a race. Marks tell where: the line below a comment
// «Seeded race: GROUP/NAME» is reported, the line below «Seeded race, possibly: GROUP/NAME» may be
// (a strand that touches a number twice can be blamed for either touch), and no other line is.
//
// Thread rule: main's task only, but Random, which belongs to whoever made it.
#ifndef TASKRACE_BENCH_PROGRAMS_COMMON_H
#define TASKRACE_BENCH_PROGRAMS_COMMON_H

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace bench {

#ifdef TASKRACE_SEED_RACE
inline constexpr bool kSeeded = true;
#else
inline constexpr bool kSeeded = false;
#endif

// Random numbers that are the same on every machine (SplitMix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // In [0, 1).
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  // In [0, bound).
  long Below(long bound) { return static_cast<long>(Next() % static_cast<std::uint64_t>(bound)); }

 private:
  std::uint64_t state_;
};

// Equal but for rounding; values below 1 are compared absolutely.
inline bool Close(double a, double b, double tolerance) {
  return std::fabs(a - b) <= tolerance * std::fmax(1.0, std::fmax(std::fabs(a), std::fabs(b)));
}

// What a program's arguments are called, and their values for each size: milliseconds, 0.2 to 2 s
// of plain time, and what the paper ran.
template <std::size_t N>
struct Sizes {
  std::array<const char*, N> parameters;
  std::array<long, N> test, small, paper;
};

// One run of a program with N numbers for arguments.
template <std::size_t N>
class Run {
 public:
  // Reads the command line; ends the program with 2 if it makes no sense.
  Run(const char* name, const Sizes<N>& sizes, int argc, char** argv)
      : name_(name), sizes_(sizes), arguments_(sizes.test) {
    int next = 1;
    if (next < argc && std::strcmp(argv[next], "--time") == 0) {
      timed_ = true;
      ++next;
    }
    if (next == argc) return;
    const std::string_view size = argv[next];
    if (next + 1 == argc && size == "test") return;
    if (next + 1 == argc && size == "small") {
      arguments_ = sizes.small;
    } else if (next + 1 == argc && size == "paper") {
      arguments_ = sizes.paper;
    } else if (static_cast<std::size_t>(argc - next) == N) {
      for (std::size_t i = 0; i < N; ++i) arguments_[i] = Number(argv[next + static_cast<int>(i)]);
    } else {
      Usage();
    }
  }

  const std::array<long, N>& arguments() const { return arguments_; }

  // Ends the program with 2 unless its arguments fit.
  void Require(bool fits, const char* what) const {
    if (fits) return;
    std::fprintf(stderr, "%s: %s\n", name_, what);
    std::exit(2);
  }

  // Runs and, if asked, times what the benchmark is about.
  template <class Function>
  void Kernel(const Function& function) const {
    const auto begin = std::chrono::steady_clock::now();
    function();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (timed_) std::fprintf(stderr, "%s: kernel %.6f s\n", name_, took.count());
  }

  // Prints the verdict; returns the exit code.
  int Result(bool right, double checksum) const {
    std::printf("%s: %s %.10g\n", name_, right ? "ok" : "wrong", checksum);
    return right ? 0 : 1;
  }

 private:
  long Number(const char* text) const {
    long value = 0;
    const char* end = text + std::strlen(text);
    const auto [rest, error] = std::from_chars(text, end, value);
    if (error != std::errc() || rest != end || value < 1) Usage();
    return value;
  }

  [[noreturn]] void Usage() const {
    std::fprintf(stderr, "usage: %s [--time] [test | small | paper |", name_);
    for (const char* parameter : sizes_.parameters) std::fprintf(stderr, " %s", parameter);
    std::fprintf(stderr, "]\n");
    PrintSize("test", sizes_.test);
    PrintSize("small", sizes_.small);
    PrintSize("paper", sizes_.paper);
    std::exit(2);
  }

  static void PrintSize(const char* size, const std::array<long, N>& values) {
    std::fprintf(stderr, "  %-5s", size);
    for (const long value : values) std::fprintf(stderr, " %ld", value);
    std::fprintf(stderr, "\n");
  }

  const char* name_;
  Sizes<N> sizes_;
  std::array<long, N> arguments_;
  bool timed_ = false;
};

}  // namespace bench

#endif

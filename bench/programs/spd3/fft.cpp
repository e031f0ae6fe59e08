// fft: fast Fourier transform of n complex numbers.
// From:   SPD3 (FFT, «large»; the paper gives no number), after the Barcelona OpenMP Tasks Suite.
// Tasks:  one async a subsequence, eight at each level; before and after, one every 128 columns.
#include "../kernels/fft.h"

#include <bit>
#include <taskrace/tasks.hpp>

using bench::Complex;

// Calls function(first, last) for the parts of [0, count), in parallel.
template <class Function>
void InParts(long count, const Function& function) {
  taskrace::finish([&] {
    for (long first = 0; first < count; first += bench::kFftLeaf) {
      const long last = std::min(first + bench::kFftLeaf + bench::kSeeded, count);
      taskrace::async([&function, first, last] { function(first, last); });
    }
  });
}

// The transform of `in` into `out`; `in` is used up.
void Transform(Complex* in, Complex* out, long n, const bench::Roots& roots) {
  if (n <= bench::kFftLeaf) {
    bench::TransformLeaf(in, out, n, roots);
    return;
  }
  const long radix = bench::FftRadix(n), columns = n / radix;
  InParts(columns,
          [=](long first, long last) { bench::Unshuffle(in, out, n, radix, first, last); });
  taskrace::finish([&] {
    for (long q = 0; q < radix; ++q) {
      taskrace::async(
          [=, &roots] { Transform(out + q * columns, in + q * columns, columns, roots); });
    }
  });
  InParts(columns, [=, &roots](long first, long last) {
    bench::Combine(in, out, n, radix, roots, first, last);
  });
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "fft", {.parameters = {"n"}, .test = {1 << 12}, .small = {1 << 22}, .paper = {1 << 24}}, argc,
      argv);
  const auto [n] = run.arguments();
  run.Require(std::has_single_bit(static_cast<unsigned long>(n)), "n is a power of two");
  const bench::Roots roots(n);
  const bench::Impulses impulses(n);
  std::vector<Complex> signal = impulses.Signal(), transform(signal.size());
  run.Kernel([&, n = n] { Transform(signal.data(), transform.data(), n, roots); });
  return run.Result(impulses.IsTransform(transform, roots), transform[n / 3].re);
}

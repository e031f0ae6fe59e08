// fft: fast Fourier transform of n complex numbers.
// From:   STINT (n = 2^26, base case 128), after Cilk-5.
// Tasks:  the transforms of the eight subsequences in parallel; before and after, the columns are
//         halved down to 128, both halves in parallel.
#include "../kernels/fft.h"

#include <bit>
#include <taskrace/tasks.hpp>

using bench::Complex;

// Calls function(first, last) for parts of [first, last) that are no longer than a leaf.
template <class Function>
void InParts(long first, long last, const Function& function) {
  if (last - first <= bench::kFftLeaf) {
    function(first, last);
    return;
  }
  const long middle = first + (last - first) / 2;
  taskrace::scope tasks;
  tasks.spawn([&function, first, middle] { InParts(first, middle, function); });
  InParts(middle, last, function);
  tasks.sync();
}

// The transform of `in` into `out`; `in` is used up.
void Transform(Complex* in, Complex* out, long n, const bench::Roots& roots) {
  if (n <= bench::kFftLeaf) {
    bench::TransformLeaf(in, out, n, roots);
    return;
  }
  const long radix = bench::FftRadix(n), columns = n / radix;
  InParts(0, columns,
          [=](long first, long last) { bench::Unshuffle(in, out, n, radix, first, last); });
  taskrace::scope tasks;
  for (long q = 0; q < radix; ++q) {
    tasks.spawn([=, &roots] { Transform(out + q * columns, in + q * columns, columns, roots); });
  }
  tasks.sync();
  InParts(0, columns, [=, &roots](long first, long last) {
    const long end = std::min(last + bench::kSeeded, columns);
    bench::Combine(in, out, n, radix, roots, first, end);
  });
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "fft", {.parameters = {"n"}, .test = {1 << 12}, .small = {1 << 22}, .paper = {1 << 26}}, argc,
      argv);
  const auto [n] = run.arguments();
  run.Require(std::has_single_bit(static_cast<unsigned long>(n)), "n is a power of two");
  const bench::Roots roots(n);
  const bench::Impulses impulses(n);
  std::vector<Complex> signal = impulses.Signal(), transform(signal.size());
  run.Kernel([&, n = n] { Transform(signal.data(), transform.data(), n, roots); });
  return run.Result(impulses.IsTransform(transform, roots), transform[n / 3].re);
}

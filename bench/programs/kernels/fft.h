// Fast Fourier transform of a power of two of complex numbers, but for its tasks: one step of
// Cooley and Tukey with radix 8 (4 or 2 where 8 does not divide), and a serial transform for the
// leaves.
//
//   step 1, Unshuffle:  `out` holds the radix subsequences of `in`, one after the other
//   step 2:             each subsequence is transformed, from `out` to `in`
//   step 3, Combine:    column i of `out` is the butterfly of column i of all the subsequences
//
// Thread rule: calls with disjoint ranges of columns touch disjoint numbers.
// Cost: O(1) a number in each step; roots are read from a table.
#ifndef TASKRACE_BENCH_PROGRAMS_KERNELS_FFT_H
#define TASKRACE_BENCH_PROGRAMS_KERNELS_FFT_H

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "../common.h"

namespace bench {

// Without std::complex's care for infinities, which costs a call a product.
struct Complex {
  float re, im;

  friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

// Transforms no longer than this are done serially.
inline constexpr long kFftLeaf = 128;

// exp(-2 pi i k / size) for every k. Requires: the size is a power of two.
class Roots {
 public:
  explicit Roots(long size) : size_(size), roots_(static_cast<std::size_t>(size)) {
    // Each is the product of a coarse and a fine one: few calls of sin and cos.
    const long coarse = std::max(1L, size / 1024), fine = size / coarse;
    std::vector<Turn> small(static_cast<std::size_t>(fine));
    for (long k = 0; k < fine; ++k) small[k] = TurnBy(k);
    for (long k = 0; k < coarse; ++k) {
      const Turn large = TurnBy(k * fine);
      for (long i = 0; i < fine; ++i) {
        roots_[k * fine + i] = {
            static_cast<float>(large.cosine * small[i].cosine - large.sine * small[i].sine),
            static_cast<float>(-large.cosine * small[i].sine - large.sine * small[i].cosine)};
      }
    }
  }
  // exp(-2 pi i k / n). Requires: n divides the size, k < n.
  Complex Of(long k, long n) const { return roots_[k * (size_ / n)]; }

 private:
  struct Turn {
    double cosine, sine;
  };
  // By 2 pi k / size.
  Turn TurnBy(long k) const {
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size_);
    return {std::cos(angle), std::sin(angle)};
  }

  long size_;
  std::vector<Complex> roots_;
};

inline long FftRadix(long n) { return n / 8 >= kFftLeaf / 4 ? 8 : n / 4 >= kFftLeaf / 4 ? 4 : 2; }

// Stockham's transform of at most kFftLeaf numbers, `in` to `out`; `in` is used up.
inline void TransformLeaf(Complex* in, Complex* out, long n, const Roots& roots) {
  Complex *from = in, *to = out;
  for (long half = n / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
    for (long p = 0; p < half; ++p) {
      const Complex root = roots.Of(p, 2 * half);
      const Complex *const low = from + stride * p, *const high = from + stride * (p + half);
      Complex *const even = to + stride * 2 * p, *const odd = even + stride;
      for (long q = 0; q < stride; ++q) {
        even[q] = low[q] + high[q];
        odd[q] = (low[q] - high[q]) * root;
      }
    }
    std::swap(from, to);
  }
  if (from != out) {
    for (long i = 0; i < n; ++i) out[i] = from[i];
  }
}

// Step 1 for the columns [first, last) of n / radix.
inline void Unshuffle(const Complex* in, Complex* out, long n, long radix, long first, long last) {
  const long columns = n / radix;
  for (long i = first; i < last; ++i) {
    // Seeded race: spd3/fft
    for (long q = 0; q < radix; ++q) out[q * columns + i] = in[i * radix + q];
  }
}

// The discrete transform of kRadix numbers in registers.
template <int kRadix>
void Butterfly(Complex* x) {
  if constexpr (kRadix > 1) {
    constexpr float kHalf = std::numbers::sqrt2_v<float> / 2;
    constexpr Complex kRoots[4] = {{1, 0}, {kHalf, -kHalf}, {0, -1}, {-kHalf, -kHalf}};
    Complex even[kRadix / 2], odd[kRadix / 2];
    for (int k = 0; k < kRadix / 2; ++k) {
      even[k] = x[2 * k];
      odd[k] = x[2 * k + 1];
    }
    Butterfly<kRadix / 2>(even);
    Butterfly<kRadix / 2>(odd);
    for (int k = 0; k < kRadix / 2; ++k) {
      const Complex turned = odd[k] * kRoots[k * 8 / kRadix];
      x[k] = even[k] + turned;
      x[k + kRadix / 2] = even[k] - turned;
    }
  }
}

template <int kRadix>
void CombineColumns(const Complex* in, Complex* out, long n, const Roots& roots, long first,
                    long last) {
  const long columns = n / kRadix;
  for (long i = first; i < last; ++i) {
    Complex x[kRadix];
    for (int q = 0; q < kRadix; ++q) x[q] = in[q * columns + i] * roots.Of(q * i, n);
    Butterfly<kRadix>(x);
    // Seeded race: stint/fft, spd3/fft
    for (int k = 0; k < kRadix; ++k) out[k * columns + i] = x[k];
  }
}

// Step 3 for the columns [first, last) of n / radix.
inline void Combine(const Complex* in, Complex* out, long n, long radix, const Roots& roots,
                    long first, long last) {
  if (radix == 8) CombineColumns<8>(in, out, n, roots, first, last);
  if (radix == 4) CombineColumns<4>(in, out, n, roots, first, last);
  if (radix == 2) CombineColumns<2>(in, out, n, roots, first, last);
}

// A signal whose transform is known in every place: three impulses.
class Impulses {
 public:
  explicit Impulses(long n) : n_(n) {
    Random random(n);
    for (long& place : places_) place = random.Below(n);
  }
  std::vector<Complex> Signal() const {
    std::vector<Complex> signal(static_cast<std::size_t>(n_));
    for (const long place : places_) signal[place].re += 1.0f;
    return signal;
  }
  bool IsTransform(const std::vector<Complex>& transform, const Roots& roots) const {
    for (long k = 0; k < n_; ++k) {
      Complex sum = {0, 0};
      for (const long place : places_) sum = sum + roots.Of(place * k % n_, n_);
      if (!Close(sum.re, transform[k].re, 1e-4) || !Close(sum.im, transform[k].im, 1e-4))
        return false;
    }
    return true;
  }

 private:
  long n_;
  long places_[3];
};

}  // namespace bench

#endif

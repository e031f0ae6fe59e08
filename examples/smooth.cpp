// Smooths a curve with std::execution. The product: clang++ -std=c++17 smooth.cpp -ltbb.
// It is wrong: an element is replaced while the one beside it is still computed from it. With -DFIXED the result
// is another array.
#include <algorithm>
#include <cstdio>
#include <execution>
#include <numeric>
#include <vector>

int main() {
  std::vector<double> curve(1000), result(1000);
  std::iota(curve.begin(), curve.end(), 0.0);
#ifdef FIXED
  std::vector<double>& out = result;
#else
  std::vector<double>& out = curve;
#endif
  std::for_each(std::execution::par, curve.begin() + 1, curve.end() - 1, [&](const double& at) {
    const double* here = &at;
    out[static_cast<std::size_t>(here - curve.data())] = (here[-1] + here[0] + here[1]) / 3;
  });
  std::printf("%g\n", out[500]);
}

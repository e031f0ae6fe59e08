// What lanes have for themselves, what is far enough apart, and blocks that are in order.
// RUN: cd %S
// RUN: %taskrace c++ -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -fopenmp -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>
double a[1000], b[1000], c[1000];
int ix[1000];
struct P {
  double x, y;
  void Add(const P& o) {
    x += o.x;
    y += o.y;
  }
};
#pragma omp declare reduction(+ : std::complex<double> : omp_out += omp_in)
#pragma omp declare reduction(padd:P : omp_out.Add(omp_in)) initializer(omp_priv = P{0, 0})
[[gnu::noinline]] void set(double* p, double v) { *p = v; }
[[gnu::noinline]] double local(double v) {
  double t[4];
  set(&t[1], v);
  return t[1];
}
#pragma omp declare simd
double f(double x) { return x * 2; }
int main() {
  const int n = 1000;
  for (int i = 0; i < n; i++) ix[i] = (i * 7) % n;
  double x;
  double sum = 0;
  int last;
  int lin = 5;
#pragma omp simd private(x) reduction(+ : sum) lastprivate(last) linear(lin : 2)
  for (int i = 0; i < n; i++) {
    x = a[i];
    b[i] = x + lin;
    sum += x;
    last = i;
    lin += 2;
  }
#pragma omp simd private(x)
  for (int i = 0; i < n; i++) {
    set(&x, a[i]);
    c[i] = x;
  }
#pragma omp simd
  for (int i = 0; i < n; i++) {
    double tmp[2];
    set(tmp, a[i]);
    set(tmp + 1, 1);
    b[i] = tmp[0] + tmp[1] + local(i);
  }
  std::complex<double> z = 0;
#pragma omp simd reduction(+ : z)
  for (int i = 0; i < n; i++) z += std::complex<double>(a[i], b[i]);
  P p{0, 0};
#pragma omp simd reduction(padd : p)
  for (int i = 0; i < n; i++) p.Add(P{a[i], b[i]});
// scatter without overlap
#pragma omp simd
  for (int i = 0; i < n; i++) a[ix[i]] = b[i];
#pragma omp simd collapse(2)
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < 30; j++) a[i * 30 + j] = b[i * 30 + j] + 1;
#pragma omp simd safelen(8)
  for (int i = 8; i < n; i++) a[i] = a[i - 8] + f(b[i]);
  double hist[4] = {0, 0, 0, 0};
#pragma omp simd reduction(+ : hist[ : 4])
  for (int i = 0; i < n; i++) hist[i % 4] += 1;
#pragma omp parallel for
  for (int r = 0; r < 10; r++) {
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (int j = 0; j < 100; j++) {
      s += b[r * 100 + j];
      c[r * 100 + j] = s > 1e9 ? 1 : 0;
    }
    a[r] = s;
  }
#pragma omp simd
  for (int i = 0; i < 100; i++) {
    double* q = (double*)malloc(16);
    q[0] = i;
    b[i] = q[0];
    free(q);
  }
  std::vector<double> v(n);
#pragma omp simd
  for (int i = 0; i < n; i++) v[i] = i;
#pragma omp simd if (n > 2000)
  for (int i = 1; i < n; i++) v[i] = v[i - 1];
#pragma clang loop vectorize(enable) vectorize_width(4)
  for (int i = 1; i < n; i++) v[i] = v[i - 1];
  int order = 0;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    double t = b[i] * 2;
#pragma omp ordered simd
    {
      order += i;
      a[ix[i] / 2] += t;
    }
  }
#pragma omp parallel
  {
    double mine[100];
#pragma omp for simd
    for (int i = 0; i < n; i++) c[i] = b[i] + 1;
#pragma omp simd
    for (int i = 0; i < 100; i++) mine[i] = i;
#pragma omp for simd schedule(static, 8) private(x) reduction(+ : sum)
    for (int i = 0; i < n; i++) {
      x = c[i];
      b[i] = x;
      sum += x;
    }
#pragma omp for simd schedule(dynamic, 8) private(x)
    for (int i = 0; i < n; i++) {
      x = c[i];
      b[i] = x;
    }
  }
#pragma omp parallel
#pragma omp single
#pragma omp taskloop simd private(x)
  for (int i = 0; i < n; i++) {
    x = c[i];
    b[i] = x;
  }
  int y, r = 0, total = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop simd private(x) lastprivate(r) grainsize(10)
    for (int i = 0; i < n; i++) {
      x = c[i];
      b[i] = x;
      r = i;
    }
#pragma omp taskloop simd private(y) reduction(+ : total) grainsize(10)
    for (long i = 0; i < n; i++) {
      y = (int)c[i];
      b[i] = y;
      total += y;
    }
  }
  printf("%g %d %d %g %g %d\n", sum, last, lin, z.real(), p.x + hist[0], order);
}
// CHECK: no races in {{.*}} simd loops

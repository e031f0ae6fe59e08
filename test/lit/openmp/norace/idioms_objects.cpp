// Objects in regions, loops and tasks.
// RUN: cd %S
// RUN: %taskrace c++ -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstdio>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#pragma omp declare reduction(sum_of_vectors : std::vector<int> : std::transform(           \
        omp_out.begin(), omp_out.end(), omp_in.begin(), omp_out.begin(), std::plus<int>())) \
    initializer(omp_priv = decltype(omp_orig)(omp_orig.size()))

class Matrix {
 public:
  explicit Matrix(int n) : data_(n * n, 1.0), n_(n) {}
  double& At(int i, int j) { return data_[i * n_ + j]; }
  void Scale(double factor) {
#pragma omp parallel for
    for (int i = 0; i < n_; i++)
      for (int j = 0; j < n_; j++) At(i, j) *= factor;
  }
  double Sum() const {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n_ * n_; i++) sum += data_[i];
    return sum;
  }

 private:
  std::vector<double> data_;
  int n_;
};

struct Owner {
  int* value;
  Owner() : value(new int(0)) {}
  Owner(const Owner& other) : value(new int(*other.value)) {}
  Owner& operator=(const Owner& other) {
    *value = *other.value;
    return *this;
  }
  ~Owner() { delete value; }
};

const std::string& Name() {
  static const std::string name = "a name that is not short";
  return name;
}

long Sum(const std::vector<int>& numbers, size_t low, size_t high) {
  if (high - low < 50) {
    long sum = 0;
    for (size_t i = low; i < high; i++) sum += numbers[i];
    return sum;
  }
  long left, right;
  const size_t middle = (low + high) / 2;
#pragma omp task shared(left, numbers)
  left = Sum(numbers, low, middle);
  right = Sum(numbers, middle, high);
#pragma omp taskwait
  return left + right;
}

int main() {
  std::vector<int> numbers(1000), all, counts(10);
#pragma omp parallel for
  for (auto it = numbers.begin(); it < numbers.end(); ++it) *it = 1;
#pragma omp parallel for
  for (int& number : numbers) number += 1;
  Matrix matrix(20);
  matrix.Scale(2);
  std::array<std::complex<double>, 100> values{};
#pragma omp parallel for schedule(dynamic, 7)
  for (size_t i = 0; i < values.size(); i++) values[i] += std::complex<double>(1, 2);
#pragma omp parallel for reduction(sum_of_vectors : counts)
  for (int i = 0; i < 1000; i++) counts[i % 10]++;
  Owner first, last;
#pragma omp parallel for firstprivate(first) lastprivate(last)
  for (int i = 0; i < 100; i++) {
    *first.value += 1;
    *last.value = i;
  }
  std::map<std::string, int> names;
#pragma omp parallel
  {
    std::vector<int> own;
#pragma omp for nowait
    for (int i = 0; i < 100; i++) own.push_back(i + static_cast<int>(Name().size()));
#pragma omp critical
    {
      all.insert(all.end(), own.begin(), own.end());
      names["count" + std::to_string(own.size() % 3)]++;
    }
  }
  int caught = 0;
#pragma omp parallel for reduction(+ : caught)
  for (int i = 0; i < 100; i++) {
    try {
      if (i % 10 == 0) throw std::runtime_error("ten");
    } catch (const std::exception&) {
      caught++;
    }
  }
  std::atomic<int> atomic{0};
  std::mutex mutex;
  int locked = 0;
#pragma omp parallel for
  for (int i = 0; i < 100; i++) {
    atomic++;
    std::lock_guard<std::mutex> guard(mutex);
    locked++;
  }
  long sum = 0;
#pragma omp parallel
#pragma omp single
  sum = Sum(numbers, 0, numbers.size());
  std::printf("%g %d %d %zu %d %d %d %ld\n", matrix.Sum(), counts[3], *last.value, all.size(),
              caught, atomic.load(), locked, sum);
}
// CHECK: no races
// CHECK: {{^}}800 100 99 100 10 100 100 2000

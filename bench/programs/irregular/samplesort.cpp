// samplesort: numbers are dealt out to buckets, whose bounds a sample has told, and then sorted.
// Loops:  one iteration a part of the numbers counts what goes into which bucket, and later moves
//         it there; one iteration a bucket sorts it. There are about as many parts as numbers in a
//         part. The seeded sibling looks for the largest bucket meanwhile.
#include <algorithm>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

// In ascending order; bucket i has the numbers up to bound i, the last one the rest.
std::vector<double> Bounds(const std::vector<double>& numbers, long buckets) {
  constexpr long kOversampling = 8;
  std::vector<double> sample(static_cast<std::size_t>(buckets * kOversampling));
  bench::Random random(2);
  for (double& number : sample) number = numbers[random.Below(static_cast<long>(numbers.size()))];
  std::sort(sample.begin(), sample.end());
  std::vector<double> bounds;
  for (long i = 1; i < buckets; ++i) bounds.push_back(sample[i * kOversampling]);
  return bounds;
}

long SampleSort(std::vector<double>& numbers) {
  const auto count = static_cast<long>(numbers.size());
  const auto parts = std::max(1L, static_cast<long>(std::sqrt(static_cast<double>(count))));
  const long buckets = parts / 2 + 1;
  const std::vector<double> bounds = Bounds(numbers, buckets);
  std::vector<int> bucket(numbers.size());
  // For each part, how many of its numbers are in each bucket; then where the next of them goes.
  std::vector<std::vector<long>> place(static_cast<std::size_t>(parts));

  taskrace::parallel_for(0L, parts, [&](long part) {
    std::vector<long>& counts = place[part];
    counts.resize(static_cast<std::size_t>(buckets));
    for (long i = part * count / parts; i < (part + 1) * count / parts; ++i) {
      const auto bound = std::lower_bound(bounds.begin(), bounds.end(), numbers[i]);
      bucket[i] = static_cast<int>(bound - bounds.begin());
      ++counts[bucket[i]];
    }
  });

  std::vector<long> begin(static_cast<std::size_t>(buckets + 1));
  long next = 0;
  for (long b = 0; b < buckets; ++b) {
    begin[b] = next;
    for (std::vector<long>& counts : place) {
      const long here = counts[b];
      counts[b] = next;
      next += here;
    }
  }
  begin[buckets] = next;

  std::vector<double> sorted(numbers.size());
  taskrace::parallel_for(0L, parts, [&](long part) {
    for (long i = part * count / parts; i < (part + 1) * count / parts; ++i) {
      sorted[place[part][bucket[i]]++] = numbers[i];
    }
  });

  long largest = 0;
  taskrace::parallel_for(0L, buckets, [&](long b) {
    std::sort(sorted.begin() + begin[b], sorted.begin() + begin[b + 1]);
    const long size = begin[b + 1] - begin[b];
    // Seeded race: irregular/samplesort
    if (bench::kSeeded && size > largest) largest = size;
  });
  numbers.swap(sorted);
  return largest;
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "samplesort",
      {.parameters = {"numbers"}, .test = {10'000}, .small = {2'500'000}, .paper = {10'000'000}},
      argc, argv);
  std::vector<double> numbers(static_cast<std::size_t>(run.arguments()[0]));
  bench::Random random(3);
  for (double& number : numbers) number = random.Uniform() * random.Uniform();
  std::vector<double> expected = numbers;
  long largest = 0;
  run.Kernel([&] { largest = SampleSort(numbers); });
  std::sort(expected.begin(), expected.end());
  const double checksum = numbers[numbers.size() / 3] + static_cast<double>(largest);
  return run.Result(numbers == expected, checksum);
}

// suffixarray: the suffixes of a text in alphabetical order, by doubling what is compared.
// Tasks:  in every round loops with an iteration a suffix make keys of two ranks, compare
//         neighbours and rank anew; in between a mergesort, halves in parallel down to 32 keys.
//         The seeded sibling notes in the loop whether two suffixes are still the same.
#include <algorithm>
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

// A suffix by the ranks of its first letters and of those behind them.
struct Key {
  int first, second, suffix;

  bool operator<(const Key& other) const {
    return first != other.first ? first < other.first : second < other.second;
  }
  bool SameAs(const Key& other) const { return first == other.first && second == other.second; }
};

using Iterator = std::vector<Key>::iterator;

void MergeSort(Iterator first, Iterator last, Iterator space) {
  if (last - first <= 32) return std::sort(first, last);
  const auto half = (last - first) / 2;
  taskrace::parallel_invoke([=] { MergeSort(first, first + half, space); },
                            [=] { MergeSort(first + half, last, space + half); });
  const Iterator end = std::merge(first, first + half, first + half, last, space);
  std::copy(space, end, first);
}

std::vector<int> SuffixArray(const std::string& text) {
  const auto n = static_cast<long>(text.size());
  std::vector<Key> keys(text.size()), space(text.size());
  std::vector<int> rank(text.size()), name(text.size());
  taskrace::parallel_for(0L, n, [&](long i) { rank[i] = static_cast<unsigned char>(text[i]); });
  for (long length = 1;; length *= 2) {
    taskrace::parallel_for(0L, n, [&](long i) {
      keys[i] = {rank[i], i + length < n ? rank[i + length] : -1, static_cast<int>(i)};
    });
    MergeSort(keys.begin(), keys.end(), space.begin());
    bool all_differ = true;
    taskrace::parallel_for(1L, n, [&](long i) {
      name[i] = keys[i].SameAs(keys[i - 1]) ? 0 : 1;
      // Seeded race: irregular/suffixarray
      if (bench::kSeeded && name[i] == 0) all_differ = false;
    });
    for (long i = 1; i < n; ++i) name[i] += name[i - 1];
    if (!bench::kSeeded) all_differ = name[n - 1] == n - 1;
    if (all_differ) break;
    taskrace::parallel_for(0L, n, [&](long i) { rank[keys[i].suffix] = name[i]; });
  }
  std::vector<int> order(text.size());
  taskrace::parallel_for(0L, n, [&](long i) { order[i] = keys[i].suffix; });
  return order;
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "suffixarray",
      {.parameters = {"letters"}, .test = {300}, .small = {150'000}, .paper = {600'000}}, argc,
      argv);
  // Letters of which some are more frequent, and a passage that comes again.
  std::string text(static_cast<std::size_t>(run.arguments()[0]), ' ');
  bench::Random random(6);
  for (char& letter : text)
    letter = static_cast<char>('a' + 8 * random.Uniform() * random.Uniform());
  std::copy_n(text.begin(), text.size() / 50, text.begin() + static_cast<long>(text.size() / 2));
  std::vector<int> order;
  run.Kernel([&] { order = SuffixArray(text); });
  bool right = true;
  double sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    right = right && (i == 0 || text.compare(order[i - 1], std::string::npos, text, order[i]) < 0);
    sum += static_cast<double>(order[i]) * static_cast<double>(i % 5);
  }
  return run.Result(right, sum);
}

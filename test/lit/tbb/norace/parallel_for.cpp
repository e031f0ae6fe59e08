// Loops whose leaves share nothing: every index is covered once, in every form; a leaf is no longer than its grain size.
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --exec=parallel --threads=2 %t 2>&1 | %FileCheck %s
// CHECK: no schedule of this input has a determinacy race
#include <tbb/tbb.h>

#include <cassert>
#include <deque>
#include <limits>
#include <string_view>
#include <vector>

// Divides itself, and counts what it is divided into.
struct letters {
  const char *first, *last;
  letters(const char* begin, const char* end) : first(begin), last(end) {}
  letters(letters& other, tbb::split) : first(other.first + (other.last - other.first) / 3), last(other.last) {
    other.last = first;
  }
  bool empty() const { return first == last; }
  bool is_divisible() const { return last - first > 2; }
};

int main() {
  for (int n : {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 100, 1000}) {
    for (int grain : {1, 2, 3, 7, 10, 64, 1000}) {
      std::vector<int> hits(n), leaves(n);
      const auto body = [&](const tbb::blocked_range<int>& r) {
        assert(!r.empty() && r.size() <= std::size_t(grain) && r.grainsize() == std::size_t(grain));
        ++leaves[r.begin()];
        for (int i = r.begin(); i < r.end(); ++i) ++hits[i];
      };
      tbb::parallel_for(tbb::blocked_range<int>(0, n, grain), body);
      tbb::parallel_for(tbb::blocked_range<int>(0, n, grain), body, tbb::static_partitioner());
      for (int i = 0; i < n; ++i) assert(hits[i] == 2 && leaves[i] <= 2);
      // The same leaves as by dividing the range itself.
      std::vector<int> cuts(n);
      std::vector<tbb::blocked_range<int>> parts;
      if (n > 0) parts.emplace_back(0, n, grain);
      while (!parts.empty()) {
        tbb::blocked_range<int> part = parts.back();
        parts.pop_back();
        while (part.is_divisible()) parts.emplace_back(part, tbb::split());
        cuts[part.begin()] = 1;
      }
      tbb::parallel_for(tbb::blocked_range<int>(0, n, grain), [&](const auto& r) { --cuts[r.begin()]; });
      for (int cut : cuts) assert(cut == 0);
    }
  }
  constexpr int last = std::numeric_limits<int>::max();
  int hits[10] = {};
  tbb::parallel_for(last - 10, last, [&](int i) { ++hits[last - 1 - i]; });
  tbb::parallel_for(last - 10, last, 3, [&](int i) { ++hits[last - 1 - i]; });
  tbb::parallel_for(std::numeric_limits<int>::min(), std::numeric_limits<int>::min() + 10,
                    [&](int i) { ++hits[i - std::numeric_limits<int>::min()]; });
  for (int i = 0; i < 10; ++i) assert(hits[i] == (i % 3 == 0 ? 3 : 2));
  tbb::parallel_for(5, 5, [](int) { assert(false); });
  tbb::parallel_for(5, 3, 1, [](int) { assert(false); });

  std::deque<int> d(100);
  tbb::parallel_for(tbb::blocked_range<std::deque<int>::iterator>(d.begin(), d.end(), 7), [](const auto& r) {
    for (int& x : r) ++x;
  });
  for (int x : d) assert(x == 1);
  int cells[7][5] = {};
  tbb::parallel_for(tbb::blocked_range2d<int>(0, 7, 3, 0, 5, 2), [&](const tbb::blocked_range2d<int>& r) {
    assert(r.rows().size() <= 3 && r.cols().size() <= 2);
    for (int i = r.rows().begin(); i < r.rows().end(); ++i)
      for (int j = r.cols().begin(); j < r.cols().end(); ++j) ++cells[i][j];
  });
  tbb::parallel_for(tbb::blocked_range2d<int>(0, 7, 0, 5), [&](const tbb::blocked_range2d<int>& r) {
    ++cells[r.rows().begin()][r.cols().begin()];
  });
  for (auto& row : cells) for (int cell : row) assert(cell == 2);

  char text[] = "parallel";
  tbb::parallel_for(letters(text, text + 8), [&](const letters& part) {
    for (const char* c = part.first; c != part.last; ++c) text[c - text] = char(*c - 'a' + 'A');
  });
  assert(std::string_view(text) == "PARALLEL");
  bool thrown = false;
  int after = 0;
  try {
    tbb::parallel_for(0, 9, [&](int i) { if (i == 4) throw i; if (i == 8) after = 1; });
  } catch (int i) {
    thrown = i == 4;
  }
  assert(thrown && after == 1);
}

// fannkuch: the most flips of the first so many numbers that bring 1 to the front, over all
// permutations of 1 to n, and a checksum of their counts.
// From:   SPD3 (Fannkuch, 10M; n = 11 is the least with ten million permutations), after the
//         Computer Language Shootout.
// Tasks:  one async for all permutations with the same last three numbers.
#include <algorithm>
#include <array>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

constexpr long kMost = 12;

struct Flips {
  long most, checksum;
};

// One permutation after the other, beginning anywhere in their order.
class Permutation {
 public:
  Permutation(int n, long number) : n_(n) {
    for (int i = 0; i < n; ++i) values_[i] = static_cast<unsigned char>(i);
    long factorial = 1;
    for (int i = 2; i < n; ++i) factorial *= i;
    for (int i = n - 1; i > 0; --i) {
      turns_[i] = static_cast<int>(number / factorial);
      number %= factorial;
      factorial /= i;
      std::rotate(values_.begin(), values_.begin() + turns_[i], values_.begin() + i + 1);
    }
  }

  // Turns the shortest beginning that was not yet turned all the way round.
  void Next() {
    for (int i = 1; i < n_; ++i) {
      const unsigned char first = values_[0];
      for (int j = 0; j < i; ++j) values_[j] = values_[j + 1];
      values_[i] = first;
      if (++turns_[i] <= i) return;
      turns_[i] = 0;
    }
  }

  long CountFlips() const {
    if (values_[0] == 0) return 0;
    std::array<unsigned char, 16> values = values_;
    long flips = 1;
    for (int first = values[0]; values[first] != 0; ++flips) {
      const unsigned char next = values[first];
      values[first] = static_cast<unsigned char>(first);
      for (int low = 1, high = first - 1; low < high; ++low, --high) {
        std::swap(values[low], values[high]);
      }
      first = next;
    }
    return flips;
  }

 private:
  int n_;
  std::array<unsigned char, 16> values_ = {};
  std::array<int, 16> turns_ = {};
};

Flips CountFlips(int n, long first, long last) {
  Permutation permutation(n, first);
  Flips flips = {0, 0};
  for (long number = first; number < last; ++number) {
    const long count = permutation.CountFlips();
    flips.most = std::max(flips.most, count);
    flips.checksum += number % 2 == 0 ? count : -count;
    permutation.Next();
  }
  return flips;
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "fannkuch", {.parameters = {"n"}, .test = {7}, .small = {10}, .paper = {11}}, argc, argv);
  const auto [n] = run.arguments();
  run.Require(n >= 4 && n <= kMost, "n is 4 to 12");
  const Flips known[kMost + 1] = {{},          {},           {},           {},         {4, 4},
                                  {7, 11},     {10, 49},     {16, 228},    {22, 1616}, {30, 8629},
                                  {38, 73196}, {51, 556355}, {65, 3968050}};
  const long tasks = n * (n - 1) * (n - 2);
  long permutations = 1;
  for (long i = 2; i <= n; ++i) permutations *= i;
  const long share = permutations / tasks;
  std::vector<Flips> flips(static_cast<std::size_t>(tasks));
  run.Kernel([&, n = static_cast<int>(n)] {
    taskrace::finish([&] {
      for (long task = 0; task < tasks; ++task) {
        taskrace::async([&flips, n, task, share] {
          const Flips found = CountFlips(n, task * share, (task + 1) * share);
          // Seeded race: spd3/fannkuch
          flips[bench::kSeeded ? 0 : task] = found;
        });
      }
    });
  });
  Flips all = {0, 0};
  for (const Flips& part : flips) {
    all.most = std::max(all.most, part.most);
    all.checksum += part.checksum;
  }
  const bool right = all.most == known[n].most && all.checksum == known[n].checksum;
  return run.Result(right, static_cast<double>(all.checksum));
}

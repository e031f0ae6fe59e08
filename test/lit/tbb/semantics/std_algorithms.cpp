// Every parallel algorithm of libstdc++ gives what the serial one gives, for several lengths; and has no race.
// RUN: %taskrace c++ -O0 -g1 -std=c++17 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --exec=parallel --threads=2 %t 2>&1 | %FileCheck %s
// CHECK-NOT: differs
// CHECK: no schedule of this input has a determinacy race
#include <execution>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

constexpr auto& par = std::execution::par;
constexpr int lengths[] = {0, 1, 2, 33, 700};

using numbers = std::vector<int>;

int failures;
void check(bool ok, const char* what, int n) {
  if (!ok) {
    std::printf("%s differs for %d elements\n", what, n);
    ++failures;
  }
}

// CALL(policy..., first, ...) on two copies of the same data, with the serial and with the parallel algorithm.
#define SAME(name, ...)                                                    \
  {                                                                        \
    numbers x = data, y = other, z(2 * n + 1), x0 = x, y0 = y, z0 = z;      \
    const auto serial = [&](auto&& x, auto&& y, auto&& z) {                \
      const auto algorithm = [&](auto&&... a) { return std::name(static_cast<decltype(a)>(a)...); }; \
      return __VA_ARGS__;                                                  \
    };                                                                     \
    const auto parallel = [&](auto&& x, auto&& y, auto&& z) {              \
      const auto algorithm = [&](auto&&... a) { return std::name(par, static_cast<decltype(a)>(a)...); }; \
      return __VA_ARGS__;                                                  \
    };                                                                     \
    const auto a = serial(x0, y0, z0);                                     \
    const auto b = parallel(x, y, z);                                      \
    check(a == b && x == x0 && y == y0 && z == z0, #name, n);              \
  }
#define AT(sequence, ...) ((__VA_ARGS__) - (sequence).begin())
#define VOID(...) ((__VA_ARGS__), 0)

void all(int n) {
  numbers data(n), other(n);
  for (int i = 0; i < n; ++i) data[i] = i * 37 % 101, other[i] = i * 53 % 89;
  numbers sorted = data, sorted2 = other;
  std::sort(sorted.begin(), sorted.end());
  std::sort(sorted2.begin(), sorted2.end());
  const auto even = [](int v) { return v % 2 == 0; };
  const auto big = [](int v) { return v > 95; };
  const auto close = [](int a, int b) { return a / 4 == b / 4; };
  const auto mix = [](int a, int b) { return a * 3 + b; };

  SAME(all_of, algorithm(x.begin(), x.end(), even));
  SAME(any_of, algorithm(x.begin(), x.end(), big));
  SAME(none_of, algorithm(x.begin(), x.end(), big));
  SAME(for_each, VOID(algorithm(x.begin(), x.end(), [](int& v) { v += 1; })));
  SAME(for_each_n, AT(x, algorithm(x.begin(), n / 2, [](int& v) { v += 1; })));
  SAME(count, algorithm(x.begin(), x.end(), 37));
  SAME(count_if, algorithm(x.begin(), x.end(), even));
  SAME(mismatch, AT(x, algorithm(x.begin(), x.end(), y.begin()).first));
  SAME(find, AT(x, algorithm(x.begin(), x.end(), 74)));
  SAME(find_if, AT(x, algorithm(x.begin(), x.end(), big)));
  SAME(find_if_not, AT(x, algorithm(x.begin(), x.end(), even)));
  SAME(find_end, AT(x, algorithm(x.begin(), x.end(), data.begin() + n / 2, data.begin() + n / 2 + (n > 2 ? 2 : 0))));
  SAME(find_first_of, AT(x, algorithm(x.begin(), x.end(), y.begin() + n / 3, y.end())));
  SAME(adjacent_find, AT(x, algorithm(x.begin(), x.end(), close)));
  SAME(search, AT(x, algorithm(x.begin(), x.end(), data.begin() + n / 2, data.end())));
  SAME(search_n, AT(x, algorithm(x.begin(), x.end(), 2, 3, close)));
  SAME(copy, AT(z, algorithm(x.begin(), x.end(), z.begin())));
  SAME(copy_n, AT(z, algorithm(x.begin(), n / 2, z.begin())));
  SAME(copy_if, AT(z, algorithm(x.begin(), x.end(), z.begin(), even)));
  SAME(move, AT(z, algorithm(x.begin(), x.end(), z.begin())));
  SAME(fill, VOID(algorithm(x.begin(), x.end(), 5)));
  SAME(fill_n, AT(x, algorithm(x.begin(), n / 2, 5)));
  SAME(transform, AT(z, algorithm(x.begin(), x.end(), z.begin(), std::negate<>())));
  SAME(transform, AT(z, algorithm(x.begin(), x.end(), y.begin(), z.begin(), mix)));
  SAME(generate, VOID(algorithm(x.begin(), x.end(), [] { return 7; })));
  SAME(generate_n, AT(x, algorithm(x.begin(), n / 2, [] { return 7; })));
  SAME(remove, AT(x, algorithm(x.begin(), x.end(), 37) - (x.erase(std::remove(x.begin(), x.end(), 37), x.end()), 0)));
  SAME(remove_copy, AT(z, algorithm(x.begin(), x.end(), z.begin(), 37)));
  SAME(remove_copy_if, AT(z, algorithm(x.begin(), x.end(), z.begin(), even)));
  SAME(replace, VOID(algorithm(x.begin(), x.end(), 37, 1)));
  SAME(replace_if, VOID(algorithm(x.begin(), x.end(), even, 1)));
  SAME(replace_copy, AT(z, algorithm(x.begin(), x.end(), z.begin(), 37, 1)));
  SAME(replace_copy_if, AT(z, algorithm(x.begin(), x.end(), z.begin(), even, 1)));
  SAME(swap_ranges, AT(y, algorithm(x.begin(), x.end(), y.begin())));
  SAME(reverse, VOID(algorithm(x.begin(), x.end())));
  SAME(reverse_copy, AT(z, algorithm(x.begin(), x.end(), z.begin())));
  SAME(rotate, AT(x, algorithm(x.begin(), x.begin() + n / 3, x.end())));
  SAME(rotate_copy, AT(z, algorithm(x.begin(), x.begin() + n / 3, x.end(), z.begin())));
  SAME(unique_copy, AT(z, algorithm(x.begin(), x.end(), z.begin(), close)));
  SAME(is_partitioned, algorithm(x.begin(), x.end(), even));
  SAME(stable_partition, AT(x, algorithm(x.begin(), x.end(), even)));
  SAME(partition_copy, AT(z, algorithm(x.begin(), x.end(), z.begin(), y.begin(), even).first));
  SAME(is_sorted, algorithm(sorted.begin(), sorted.end()));
  SAME(is_sorted_until, AT(x, algorithm(x.begin(), x.end())));
  SAME(sort, VOID(algorithm(x.begin(), x.end(), std::greater<>())));
  SAME(stable_sort, VOID(algorithm(x.begin(), x.end(), [](int a, int b) { return a / 8 < b / 8; })));
  SAME(is_heap, algorithm(x.begin(), x.end()));
  SAME(is_heap_until, AT(x, algorithm(x.begin(), x.end())));
  SAME(min_element, AT(x, algorithm(x.begin(), x.end())));
  SAME(max_element, AT(x, algorithm(x.begin(), x.end())));
  SAME(minmax_element, AT(x, algorithm(x.begin(), x.end()).second));
  SAME(equal, algorithm(x.begin(), x.end(), data.begin()));
  SAME(lexicographical_compare, algorithm(x.begin(), x.end(), y.begin(), y.end()));
  SAME(merge, AT(z, algorithm(sorted.begin(), sorted.end(), sorted2.begin(), sorted2.end(), z.begin())));
  SAME(includes, algorithm(sorted.begin(), sorted.end(), sorted.begin() + n / 3, sorted.begin() + n / 2));
  SAME(set_union, AT(z, algorithm(sorted.begin(), sorted.end(), sorted2.begin(), sorted2.end(), z.begin())));
  SAME(set_intersection, AT(z, algorithm(sorted.begin(), sorted.end(), sorted2.begin(), sorted2.end(), z.begin())));
  SAME(set_difference, AT(z, algorithm(sorted.begin(), sorted.end(), sorted2.begin(), sorted2.end(), z.begin())));
  SAME(set_symmetric_difference,
       AT(z, algorithm(sorted.begin(), sorted.end(), sorted2.begin(), sorted2.end(), z.begin())));
  SAME(reduce, algorithm(x.begin(), x.end()));
  SAME(reduce, algorithm(x.begin(), x.end(), 17, std::plus<>()));
  SAME(transform_reduce, algorithm(x.begin(), x.end(), y.begin(), 5));
  SAME(transform_reduce, algorithm(x.begin(), x.end(), 5, std::plus<>(), std::negate<>()));
  SAME(exclusive_scan, AT(z, algorithm(x.begin(), x.end(), z.begin(), 9)));
  SAME(inclusive_scan, AT(z, algorithm(x.begin(), x.end(), z.begin())));
  SAME(inclusive_scan, AT(z, algorithm(x.begin(), x.end(), z.begin(), std::plus<>(), 4)));
  SAME(transform_exclusive_scan, AT(z, algorithm(x.begin(), x.end(), z.begin(), 9, std::plus<>(), std::negate<>())));
  SAME(transform_inclusive_scan, AT(z, algorithm(x.begin(), x.end(), z.begin(), std::plus<>(), std::negate<>())));
  SAME(adjacent_difference, AT(z, algorithm(x.begin(), x.end(), z.begin())));

  // Those whose order is unspecified, and those of one sequence that change it.
  numbers x = data, y = data;
  check(AT(x, std::remove_if(par, x.begin(), x.end(), even)) == AT(y, std::remove_if(y.begin(), y.end(), even)),
        "remove_if", n);
  check(std::equal(x.begin(), x.begin() + n / 4, y.begin()), "remove_if", n);
  x = y = data;
  check(AT(x, std::unique(par, x.begin(), x.end(), close)) == AT(y, std::unique(y.begin(), y.end(), close)), "unique", n);
  x = data;
  const auto middle = std::partition(par, x.begin(), x.end(), even);
  check(std::all_of(x.begin(), middle, even) && std::none_of(middle, x.end(), even), "partition", n);
  x = y = data;
  std::partial_sort(par, x.begin(), x.begin() + n / 2, x.end());
  check(std::equal(x.begin(), x.begin() + n / 2, sorted.begin()), "partial_sort", n);
  numbers half(n / 2);
  std::partial_sort_copy(par, data.begin(), data.end(), half.begin(), half.end());
  check(std::equal(half.begin(), half.end(), sorted.begin()), "partial_sort_copy", n);
  x = data;
  std::nth_element(par, x.begin(), x.begin() + n / 2, x.end());
  check(n == 0 || x[n / 2] == sorted[n / 2], "nth_element", n);
  x = sorted;
  x.insert(x.end(), sorted2.begin(), sorted2.end());
  std::inplace_merge(par, x.begin(), x.begin() + n, x.end());
  check(std::is_sorted(x.begin(), x.end()), "inplace_merge", n);

  // Values that own memory: sums and scans of strings, sorts, uninitialised memory.
  std::vector<std::string> words(n), sums(n);
  for (int i = 0; i < n; ++i) words[i] = std::string(1, char('a' + i % 26));
  std::string joined;
  for (const std::string& word : words) joined += word;
  check(std::reduce(par, words.begin(), words.end(), std::string("-")) == "-" + joined, "reduce of strings", n);
  std::inclusive_scan(par, words.begin(), words.end(), sums.begin());
  check(n == 0 || sums.back() == joined, "inclusive_scan of strings", n);
  std::sort(par, words.begin(), words.end());
  check(std::is_sorted(words.begin(), words.end()), "sort of strings", n);
  std::allocator<std::string> memory;
  std::string* raw = memory.allocate(n + 1);
  std::uninitialized_copy(par, words.begin(), words.end(), raw);
  check(std::equal(raw, raw + n, words.begin()), "uninitialized_copy", n);
  std::destroy(par, raw, raw + n);
  std::uninitialized_move_n(par, sums.begin(), n, raw);
  std::destroy_n(par, raw, n);
  std::uninitialized_fill(par, raw, raw + n, "word");
  check(n == 0 || raw[n - 1] == "word", "uninitialized_fill", n);
  std::destroy(par, raw, raw + n);
  std::uninitialized_value_construct(par, raw, raw + n);
  std::destroy(par, raw, raw + n);
  std::uninitialized_default_construct_n(par, raw, n);
  std::destroy(par, raw, raw + n);
  memory.deallocate(raw, n + 1);
}

int main() {
  for (int n : lengths) all(n);
  return failures != 0;
}

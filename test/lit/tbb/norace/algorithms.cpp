// Reductions, scans, sorts, parallel_for_each and parallel_invoke without a race, and what they compute.
// RUN: %taskrace c++ -O0 -g1 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// CHECK: no schedule of this input has a determinacy race
#include <tbb/tbb.h>

#include <cassert>
#include <complex>
#include <forward_list>
#include <functional>
#include <list>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

using range = tbb::blocked_range<int>;

struct sum_body {
  const std::vector<int>& in;
  long sum = 0;
  explicit sum_body(const std::vector<int>& v) : in(v) {}
  sum_body(sum_body& other, tbb::split) : in(other.in) {}
  void operator()(const range& r) {
    for (int i = r.begin(); i != r.end(); ++i) sum += in[i];
  }
  void join(const sum_body& right) { sum += right.sum; }
};

struct scan_body {
  const std::vector<int>& in;
  std::vector<long>& out;
  long sum = 0;
  scan_body(const std::vector<int>& x, std::vector<long>& y) : in(x), out(y) {}
  scan_body(scan_body& other, tbb::split) : in(other.in), out(other.out) {}
  template <class Tag>
  void operator()(const range& r, Tag) {
    for (int i = r.begin(); i != r.end(); ++i) {
      sum += in[i];
      if (Tag::is_final_scan()) out[i] = sum;
    }
  }
  void reverse_join(scan_body& left) { sum = left.sum + sum; }
  void assign(scan_body& other) { sum = other.sum; }
};

void reductions(int n) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = i * 7 % 11;
  const long expected = std::accumulate(v.begin(), v.end(), 0L);
  for (int grain : {1, 3, 50}) {
    const range r(0, n, grain);
    const auto add = [&v](const range& part, long sum) {
      for (int i = part.begin(); i != part.end(); ++i) sum += v[i];
      return sum;
    };
    tbb::affinity_partitioner affinity;
    tbb::task_group_context context;
    assert(tbb::parallel_reduce(r, 0L, add, std::plus<long>()) == expected);
    assert(tbb::parallel_reduce(r, 0L, add, std::plus<long>(), tbb::static_partitioner()) == expected);
    assert(tbb::parallel_reduce(r, 0L, add, std::plus<long>(), affinity, context) == expected);
    assert(tbb::parallel_deterministic_reduce(r, 0L, add, std::plus<long>()) == expected);
    assert(tbb::parallel_deterministic_reduce(r, 0L, add, std::plus<long>(), tbb::static_partitioner()) == expected);
    sum_body body(v), again(v);
    tbb::parallel_reduce(r, body, tbb::simple_partitioner());
    tbb::parallel_deterministic_reduce(r, again);
    assert(body.sum == expected && again.sum == expected);

    // Values that own memory, or have several numbers. The order is kept.
    const std::string letters = tbb::parallel_reduce(
        r, std::string(),
        [](const range& part, std::string s) {
          for (int i = part.begin(); i != part.end(); ++i) s += char('a' + i % 26);
          return s;
        },
        std::plus<std::string>());
    for (int i = 0; i < n; ++i) assert(letters[i] == 'a' + i % 26);
    const std::complex<double> both = tbb::parallel_reduce(
        r, std::complex<double>(),
        [&v](const range& part, std::complex<double> s) {
          for (int i = part.begin(); i != part.end(); ++i) s += std::complex<double>(v[i], 1);
          return s;
        },
        std::plus<std::complex<double>>());
    assert(both == std::complex<double>(double(expected), n));

    // Scans.
    std::vector<long> out(n), sums(n);
    std::partial_sum(v.begin(), v.end(), sums.begin(), std::plus<long>());
    scan_body scan(v, out);
    tbb::parallel_scan(r, scan);
    assert(out == sums && scan.sum == expected);
    std::fill(out.begin(), out.end(), 0);
    const long last = tbb::parallel_scan(
        r, 0L,
        [&](const range& part, long sum, bool is_final) {
          for (int i = part.begin(); i != part.end(); ++i) {
            sum += v[i];
            if (is_final) out[i] = sum;
          }
          return sum;
        },
        std::plus<long>(), tbb::simple_partitioner());
    assert(out == sums && last == expected);
  }
}

struct tree {
  int value;
  std::vector<tree> children;
};
tree grow(int depth) {
  tree t{1, {}};
  for (int i = 0; i < depth; ++i) t.children.push_back(grow(depth - 1));
  return t;
}
int total(const tree& t) {
  int sum = t.value;
  for (const tree& child : t.children) sum += total(child);
  return sum;
}

int main() {
  for (int n : {0, 1, 2, 5, 64, 100}) reductions(n);
  for (int grain : {1, 3}) {
    const long sum = tbb::parallel_reduce(
        range(0, 5000, grain), 0L,
        [](const range& part, long x) {
          for (int i = part.begin(); i != part.end(); ++i) x += i;
          return x;
        },
        std::plus<long>());
    assert(sum == 12497500);
  }

  std::vector<int> numbers(3000), sorted;
  for (int i = 0; i < 3000; ++i) numbers[i] = i * 7919 % 1009;
  sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  tbb::parallel_sort(numbers);
  assert(numbers == sorted);
  tbb::parallel_sort(numbers.begin(), numbers.end(), std::greater<>());
  assert(std::equal(numbers.begin(), numbers.end(), sorted.rbegin()));
  std::vector<int> same(2000, 3);
  tbb::parallel_sort(same.begin(), same.end());

  // Random access, forward and input iterators; a feeder.
  tbb::parallel_for_each(numbers, [](int& x) { x = 1; });
  std::list<int> list(100);
  tbb::parallel_for_each(list.begin(), list.end(), [](int& x) { x = 2; });
  std::forward_list<int> forward(100);
  tbb::parallel_for_each(forward, [](int& x) { x = 3; });
  assert(numbers[77] == 1 && list.back() == 2 && forward.front() == 3);
  std::istringstream text("1 2 3 4 5");
  int squares[6] = {};
  tbb::parallel_for_each(std::istream_iterator<int>(text), std::istream_iterator<int>(),
                         [&squares](int x) { squares[x] = x * x; });
  assert(squares[5] == 25 && squares[1] == 1);
  tree root = grow(4);
  const int before = total(root);
  std::vector<tree*> roots = {&root};
  tbb::parallel_for_each(roots.begin(), roots.end(), [](tree* t, tbb::feeder<tree*>& feeder) {
    t->value *= 2;
    for (tree& child : t->children) feeder.add(&child);
  });
  assert(total(root) == 2 * before);

  int a = 0, b = 0, c = 0;
  tbb::task_group_context context;
  tbb::parallel_invoke([&] { a = 1; }, [&] { b = 2; }, [&] { c = 3; });
  tbb::parallel_invoke([&] { a += 1; }, [&] { b += 2; }, context);
  assert(a == 2 && b == 4 && c == 3);

  // A context that is cancelled runs nothing; an exception cancels it.
  try {
    tbb::parallel_for(0, 10, [](int i) { if (i == 3) throw 3; }, context);
    assert(false);
  } catch (int) {
  }
  assert(context.is_group_execution_cancelled());
  tbb::parallel_for(0, 10, [](int) { assert(false); }, context);
  assert(tbb::parallel_reduce(range(0, 10), 7L, [](const range&, long x) { return x + 1; }, std::plus<long>(),
                              context) == 7);
  context.reset();
  assert(!context.is_group_execution_cancelled());
  int runs[10] = {};
  tbb::parallel_for(0, 10, [&](int i) { runs[i] = 1; if (i == 4) context.cancel_group_execution(); }, context);
  assert(std::accumulate(runs, runs + 10, 0) == 10);
}

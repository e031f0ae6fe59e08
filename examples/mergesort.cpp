// Sorts numbers: both halves in parallel, then a merge that is itself parallel.
//   usage: mergesort [count]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <taskrace/tasks.hpp>
#include <vector>

// Below this many numbers a task costs more than it gains.
constexpr std::ptrdiff_t cutoff = 1024;

// Merges two sorted ranges into `out`: splits the longer one in the middle, the other one by value.
void merge(const uint32_t* a, const uint32_t* a_end, const uint32_t* b, const uint32_t* b_end,
           uint32_t* out) {
  if (a_end - a < b_end - b) {
    std::swap(a, b);
    std::swap(a_end, b_end);
  }
  if (a_end - a <= cutoff) {
    std::merge(a, a_end, b, b_end, out);
    return;
  }
  const uint32_t* a_middle = a + (a_end - a) / 2;
  const uint32_t* b_middle = std::lower_bound(b, b_end, *a_middle);
  uint32_t* out_middle = out + (a_middle - a) + (b_middle - b);
  taskrace::parallel_invoke([=] { merge(a, a_middle, b, b_middle, out); },
                            [=] { merge(a_middle, a_end, b_middle, b_end, out_middle); });
}

// Sorts `count` numbers in place; `scratch` has room for as many.
void sort(uint32_t* values, uint32_t* scratch, std::ptrdiff_t count) {
  if (count <= cutoff) {
    std::sort(values, values + count);
    return;
  }
  const std::ptrdiff_t half = count / 2;
  taskrace::scope tasks;
  tasks.spawn([=] { sort(values, scratch, half); });
  sort(values + half, scratch + half, count - half);
  tasks.sync();
  merge(values, values + half, values + half, values + count, scratch);
  std::copy(scratch, scratch + count, values);
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 100000;
  std::vector<uint32_t> values(count), scratch(count);
  uint32_t random = 12345;
  for (uint32_t& value : values) value = random = random * 1664525u + 1013904223u;
  sort(values.data(), scratch.data(), count);
  uint64_t checksum = 0;
  for (uint32_t value : values) checksum = checksum * 31 + value;
  const bool sorted = std::is_sorted(values.begin(), values.end());
  std::printf("%ld numbers %s, checksum %016lx\n", count, sorted ? "sorted" : "NOT SORTED",
              checksum);
  return sorted ? 0 : 1;
}

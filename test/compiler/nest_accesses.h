// How the generated nests access memory: recorded one by one in the reference (RECORDED), plain in
// what the pass instruments.
#ifndef TASKRACE_TEST_COMPILER_NEST_ACCESSES_H_
#define TASKRACE_TEST_COMPILER_NEST_ACCESSES_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <taskrace/tasks.hpp>

#include "trace.h"

namespace NESTS {

struct Point {
  float x, y, z;
  std::uint32_t tag;
};

// Of a list: what is next, by number.
struct Cell {
  std::uint32_t tag, next;
};

template <typename T>
T Read(const T& place) {
#ifdef RECORDED
  trace::Mark(1, &place, sizeof(T));
#endif
  return place;
}

template <typename T>
void Write(T& place, T value) {
#ifdef RECORDED
  trace::Mark(2, &place, sizeof(T));
#endif
  place = value;
}

// All bits of a number, so that no part of a read is for nothing.
template <typename T>
std::uint64_t Bits(T value) {
  if constexpr (sizeof(T) == 8) return std::bit_cast<std::uint64_t>(value);
  if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(value);
  if constexpr (sizeof(T) < 4) return static_cast<std::uint64_t>(value);
}

template <typename T>
T Number(std::uint64_t bits) {
  if constexpr (sizeof(T) == 8) return std::bit_cast<T>(bits);
  if constexpr (sizeof(T) == 4) return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  if constexpr (sizeof(T) < 4) return static_cast<T>(bits);
}

inline void Set(unsigned char* first, int value, std::size_t size) {
#ifdef RECORDED
  trace::Mark(2, first, size);
#endif
  std::memset(first, value, size);
}

// A worksharing loop, as the pass marks those of OpenMP.
template <typename Index, typename Body>
[[gnu::always_inline]] inline void Units(Index first, Index last, const Body& body) {
  const std::uint64_t count = first < last ? static_cast<std::uint64_t>(last - first) : 0;
  trace::BeginUnits(count);
  for (std::uint64_t k = 0; k < count; ++k) {
    __taskrace_unit(k, 1);
    body(static_cast<Index>(first + static_cast<Index>(k)));
  }
  trace::EndUnits();
}

// No construct in it, and it always returns: the pass should see that.
[[gnu::noinline]] inline std::uint64_t Quiet(unsigned char* base, long index) noexcept {
  std::uint64_t sum = 0;
  for (long i = 0; i < 3; ++i) sum = sum * 5 + Read(base[index + i]);
  Write(base[index + 4], static_cast<unsigned char>(sum));
  return sum;
}

#define AT(type, index) reinterpret_cast<type*>(base)[index]
// A table that is checked itself; numbers that nothing changes; and a place for each iteration.
struct Header {
  unsigned char* base;
  long step;
};
#define HEADER reinterpret_cast<Header*>(base + 15000)[0]
#define IN_HEADER(type, index) \
  reinterpret_cast<type*>(Read(HEADER.base))[(index) * Read(HEADER.step)]
#define CONSTANT(index) base[12000 + ((index) & 127)]
#define RESULT(index) reinterpret_cast<std::uint64_t*>(base + 13000)[index]
#define IN_TABLE(type, index) reinterpret_cast<type*>(table.base)[(index) * table.step]

}  // namespace NESTS

#endif  // TASKRACE_TEST_COMPILER_NEST_ACCESSES_H_

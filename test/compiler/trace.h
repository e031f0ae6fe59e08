// Which bytes of one arena are read and written between two boundaries, and in each iteration of a
// parallel loop.
//
// The tracing hooks (trace.cc) and the reference, which records each access itself, both fill it.
//
// Thread rule: one thread. Cost: a step a byte.
#ifndef TASKRACE_TEST_COMPILER_TRACE_H_
#define TASKRACE_TEST_COMPILER_TRACE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trace {

// Nests use the middle; what is outside of it is never touched.
inline constexpr std::size_t kArena = std::size_t{1} << 15;

// What happened to the bytes between two boundaries or in an iteration: 1 for a read, 2 for a write.
using Segment = std::array<std::uint8_t, kArena>;

extern std::array<unsigned char, kArena> arena;

// Begins anew, with an arena that is always the same.
void Reset();
// Marks `rows` ranges of `size` bytes, `distance` apart. What lies outside the arena is left
// out.
void Mark(std::uint8_t what, const void* first, std::size_t size, std::size_t rows = 1,
          std::ptrdiff_t distance = 0);
// All segments up to now.
std::vector<Segment> Take();

// Where two traces differ, for a person; empty if they do not. A read of a byte that the segment
// also writes may be missing from `checked`.
std::string Difference(const std::vector<Segment>& reference, const std::vector<Segment>& checked);

// So many units follow.
void BeginUnits(std::size_t count);
void EndUnits();
// Others may know the variable.
void Share(const void* variable);

}  // namespace trace

extern "C" void __taskrace_unit(std::uint64_t k, int is_run) noexcept;

// What any write may change, for all that the compiler knows.
struct Table {
  unsigned char* base;
  long step;
};
extern Table table;

// What nests call. A boundary is to the pass like any function that it does not know.
extern "C" void Boundary();

#endif  // TASKRACE_TEST_COMPILER_TRACE_H_
